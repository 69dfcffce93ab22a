// What IRremoteESP8266 says of packets, for benchmarks/measure_agreement.py.
//
// Reads a packet a line: its durations in µs, marks and spaces by turns, all positive. Prints a line
// for each: protocol, bits, power, mode, degrees, celsius, fan speed, vertical and horizontal swing,
// separated by tabs; "-" in place of all after the bits if it has no state of an air conditioner.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "IRac.h"
#include "IRrecv.h"
#include "IRremoteESP8266.h"
#include "IRutils.h"

int main() {
  std::ios::sync_with_stdio(false);
  IRrecv receiver(1);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream durations(line);
    std::vector<uint16_t> ticks{0};
    for (unsigned long us; durations >> us;) {
      ticks.push_back(std::min<unsigned long>(us / kRawTick, UINT16_MAX));
    }
    if (ticks.size() % 2) ticks.push_back(UINT16_MAX);
    const uint16_t length = ticks.size();
    ticks.push_back(0);
    decode_results results;
    results.rawbuf = ticks.data();
    results.rawlen = length;
    results.overflow = false;
    stdAc::state_t state;
    receiver.decode(&results);
    std::cout << typeToString(results.decode_type) << '\t' << results.bits << '\t';
    if (IRAcUtils::decodeToState(&results, &state)) {
      std::cout << state.power << '\t' << IRac::opmodeToString(state.mode) << '\t' << state.degrees
                << '\t' << state.celsius << '\t' << IRac::fanspeedToString(state.fanspeed) << '\t'
                << IRac::swingvToString(state.swingv) << '\t'
                << IRac::swinghToString(state.swingh) << '\n';
    } else {
      std::cout << "-\n";
    }
  }
}
