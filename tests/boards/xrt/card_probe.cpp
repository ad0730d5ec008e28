// SPDX-License-Identifier: Apache-2.0
// Processes that have a card by turns, for xrt_run_test.cpp: one that is refused beside the one that has it,
// and one that a signal ends while its program runs.
//
// usage: card_probe VDLA CARD busy|transport|kept|kit VDLA_ARGUMENT...     "{card}" becomes the card
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "isa/variants/variants.h"
#include "kit/bring_up/probe_program.h"
#include "kit/prefix.h"
#include "kit/xrt_device.h"
#include "support/interrupt.h"

namespace {

using namespace vdla;

/// A program that still runs when the signal comes, on every engine with time: loops, as long as one can be.
constexpr std::uint64_t kCyclesOfLoop = 4'000'000;
constexpr unsigned kLoops = 60;
constexpr std::chrono::milliseconds kUntilSignal{200};

struct Card {
  std::string device, xclbin;
};

Card card_of(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// Opened by the C interface, as a program without the kit has it.
const vdla_transport* open_card(const Card& card, bool no_reset_by_signals) {
  void* library = dlopen((kit::prefix() / "lib/vdla/xrt/libvdla_xrt.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto open = reinterpret_cast<decltype(&vdla_xrt_open)>(dlsym(library, "vdla_xrt_open"));
  const auto transport =
      reinterpret_cast<decltype(&vdla_xrt_transport)>(dlsym(library, "vdla_xrt_transport"));
  const vdla_xrt_options options{.device = card.device.c_str(),
                                 .xclbin = card.xclbin.c_str(),
                                 .no_reset = 0,
                                 .no_reset_by_signals = no_reset_by_signals ? 1 : 0};
  vdla_xrt* xrt = nullptr;
  std::array<char, VDLA_MESSAGE_BYTES> why{};
  if (open(&options, &xrt, why.data(), why.size()) != VDLA_DRIVER_OK) throw std::runtime_error(why.data());
  return transport(xrt);
}

/// XRT's emulation signals the group of its process at times, so each child has one of its own.
pid_t start_child(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    body();
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  std::fflush(nullptr);
  _exit(1);
}

/// "0", or "signal 15"
std::string end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : std::to_string(WEXITSTATUS(status));
}

/// What it prints, errors too, comes out here.
std::string run(std::vector<std::string> command) {
  return end_of(start_child([&] {
    std::vector<char*> words;
    for (std::string& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    dup2(STDOUT_FILENO, STDERR_FILENO);
    execv(words[0], words.data());
  }));
}

void report_run(const std::vector<std::string>& command) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string end = run(command);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("exit status %s\nseconds %.3f\n", end.c_str(), taken.count());
}

void run_long(const vdla_transport& transport, int started) {
  const isa::Variant variant = isa::load_variant("tiny");
  std::string text;
  for (unsigned i = 0; i < kLoops; ++i) text += kit::load_loop(variant, kCyclesOfLoop);
  kit::ProbeProgram program(transport, variant, text + "finish 1\n");
  program.start();
  (void)!write(started, "y", 1);
  program.wait();
}

/// As a program of the kit does that answers signals: by interrupt(), on another thread.
void run_long_by_kit(const Card& card, int started) {
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, nullptr);
  std::thread([term] {
    int number = 0;
    sigwait(&term, &number);
    for (const std::string& said : interrupt()) std::printf("%s\n", said.c_str());
    std::fflush(stdout);
    kill(getpid(), SIGKILL);
  }).detach();
  const kit::XrtDevice device({.device = card.device, .xclbin = card.xclbin});
  run_long(*device.transport(), started);
}

/// Looks at the card while another process has it, and ends that.
void look_beside_an_owner(const Card& card, const std::vector<std::string>& look) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const pid_t owner = start_child([&] {
    open_card(card, true);
    (void)!write(ends[1], "y", 1);
    for (;;) pause();
  });
  close(ends[1]);
  char opened = 'n';
  (void)!read(ends[0], &opened, 1);
  std::printf("process %d\n", owner);
  report_run(look);
  kill(owner, SIGTERM);
  std::printf("opened %c, ended by %s\n", opened, end_of(owner).c_str());
}

/// A process that is ended by SIGTERM in the middle of a run.
void end_in_a_run(const Card& card, const std::string& how) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  const pid_t child = start_child([&] {
    close(ends[0]);
    if (how == "kit") return run_long_by_kit(card, ends[1]);
    run_long(*open_card(card, how == "kept"), ends[1]);
  });
  close(ends[1]);
  char started = 'n';
  if (read(ends[0], &started, 1) == 1) std::this_thread::sleep_for(kUntilSignal);
  kill(child, SIGTERM);
  std::printf("started %c, ended by %s\n", started, end_of(child).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  const std::string &vdla = words.at(1), &card = words.at(2), &what = words.at(3);
  const std::vector<std::string> look{vdla, "board", "regs", "STATUS", "--xrt", card};
  if (what == "busy") {
    look_beside_an_owner(card_of(card), look);
  } else {
    end_in_a_run(card_of(card), what);
    report_run(look);
  }
  std::vector<std::string> more{vdla};
  for (const std::string& word : std::span(words).subspan(4)) more.push_back(word == "{card}" ? card : word);
  if (more.size() > 1) report_run(more);
  return 0;
}
