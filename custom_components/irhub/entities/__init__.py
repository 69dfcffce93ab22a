"""What platforms share: the use of a hub, base classes and set-up of entities, registries."""
