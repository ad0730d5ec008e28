/* SPDX-License-Identifier: Apache-2.0 */
/* The first program of the Linux guest of board qemu-pci: loads the UIO modules, runs the user's program in
   /work with its output on the second serial line, says its exit status on the console, and turns the machine
   off. Linked statically; sim/host/linux_guest.h puts it into the guest. */
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

enum { kArguments = 64, kCannotRun = 127, kSignalled = 128 };

static void say(const char* what) { perror(what); }

static void load_module(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || syscall(SYS_finit_module, file, "", 0) != 0) say(path);
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

/* Separated by a zero each. */
static int read_arguments(char* text, size_t size, char** arguments) {
  const int file = open("/arguments", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? -1 : read(file, text, size - 1);
  int count = 0;
  if (bytes <= 0) return 0;
  close(file);
  text[bytes] = 0;
  for (char* at = text; at < text + bytes && count < kArguments; at += strlen(at) + 1)
    arguments[count++] = at;
  arguments[count] = 0;
  return count;
}

static int run_program(int output) {
  static char text[65536];
  static char* arguments[kArguments + 1];
  int status = 0;
  if (read_arguments(text, sizeof text, arguments) == 0) return kCannotRun;
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
  load_module("/uio.ko");
  load_module("/vdla_uio.ko");
  const int output = open_output("/dev/ttyS1");
  const int status = run_program(output);
  tcdrain(output);
  printf("vdla-guest-status %d\n", status);
  fflush(stdout);
  tcdrain(1);
  reboot(RB_POWER_OFF);
  return 0;
}
