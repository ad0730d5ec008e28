/* SPDX-License-Identifier: Apache-2.0 */
/* The first program of the Linux guest of board qemu-pci: loads the UIO modules, runs the user's program in
   /work with its output on the second serial line, says its exit status on the console, and turns the machine
   off. Linked statically; sim/host/linux_guest.cpp puts it and the files that it reads into the guest. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { kText = 65536, kCannotRun = 127, kSignalled = 128 };

static void say(const char* what) { perror(what); }

/* All of a file, with a zero behind it; its bytes, or -1. */
static ssize_t read_file(const char* path, char text[kText + 1]) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? -1 : read(file, text, kText);
  if (bytes < 0) say(path);
  if (file >= 0) close(file);
  text[bytes < 0 ? 0 : bytes] = 0;
  return bytes;
}

static void load_module(const char* path, const char* parameters) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || syscall(SYS_finit_module, file, parameters, 0) != 0) say(path);
  if (file >= 0) close(file);
}

/* Bytes as the program writes them. */
static int open_output(const char* path) {
  struct termios settings;
  const int line = open(path, O_WRONLY | O_NOCTTY);
  if (line < 0 || tcgetattr(line, &settings) != 0) {
    say(path);
    return line;
  }
  cfmakeraw(&settings);
  cfsetspeed(&settings, B115200);
  tcsetattr(line, TCSANOW, &settings);
  return line;
}

static int run_program(int output) {
  static char text[kText + 1];
  static char* arguments[kText + 1]; /* each has a zero behind it */
  const ssize_t bytes = read_file("/arguments", text);
  int count = 0, status = 0;
  for (char* at = text; at < text + bytes; at += strlen(at) + 1) arguments[count++] = at;
  if (count == 0) return kCannotRun;
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(output, 1);
    dup2(output, 2);
    if (chdir("/work") == 0) execv(arguments[0], arguments);
    say(arguments[0]);
    _exit(kCannotRun);
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return kCannotRun;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

int main(void) {
  mount("proc", "/proc", "proc", 0, "");
  mount("sysfs", "/sys", "sysfs", 0, "");
  mount("devtmpfs", "/dev", "devtmpfs", 0, "");
  static char parameters[kText + 1];
  read_file("/vdla_uio.parameters", parameters);
  load_module("/uio.ko", "");
  load_module("/vdla_uio.ko", parameters);
  const int output = open_output("/dev/ttyS1");
  const int status = run_program(output);
  tcdrain(output);
  printf("vdla-guest-status %d\n", status);
  fflush(stdout);
  tcdrain(1);
  reboot(RB_POWER_OFF);
  return 0;
}
