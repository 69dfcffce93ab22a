"""What platforms share: a use of a hub, the entities made of it, and the registries."""
