/* What is durable: after each fsync a copy of the file, or the list of the folder's entries, in the folder POWER_SHADOW.

   Loaded before the program's own libraries (LD_PRELOAD), so that Python and the engine both come by here. A file is
   known by its inode and the moment of its birth, since inodes are used again. See siege_power.py. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned long turn = 0;

static int key_of(int folder, const char *name, char *key) {
  struct statx known;
  int flags = AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH);
  if (statx(folder, name, flags, STATX_INO | STATX_BTIME | STATX_TYPE, &known)) return -1;
  sprintf(key, "%c-%llu-%lld-%u", S_ISDIR(known.stx_mode) ? 'd' : 'f', (unsigned long long)known.stx_ino,
          (long long)known.stx_btime.tv_sec, known.stx_btime.tv_nsec);
  return 0;
}

static void keep_file(int fd, const char *fresh) {
  char path[64], bytes[65536];
  sprintf(path, "/proc/self/fd/%d", fd);
  int from = open(path, O_RDONLY | O_CLOEXEC), to = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ssize_t count;
  while (from >= 0 && (count = read(from, bytes, sizeof bytes)) > 0)
    if (write(to, bytes, count) != count) break;
  close(from);
  close(to);
}

static void keep_folder(int fd, const char *fresh) {
  int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fdopendir(own);
  FILE *out = fopen(fresh, "w");
  struct dirent *entry;
  char key[100];
  while (folder && out && (entry = readdir(folder)))
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && !key_of(own, entry->d_name, key))
      fprintf(out, "%s %s\n", key, entry->d_name);
  if (out) fclose(out);
  if (folder) closedir(folder);
}

static void keep(int fd) {
  const char *shadow = getenv("POWER_SHADOW");
  char key[100], fresh[4096], kept[4096];
  if (!shadow || key_of(fd, "", key)) return;
  snprintf(fresh, sizeof fresh, "%s/new-%ld-%lu", shadow, (long)syscall(SYS_gettid), __sync_fetch_and_add(&turn, 1));
  snprintf(kept, sizeof kept, "%s/%s", shadow, key);
  (key[0] == 'd' ? keep_folder : keep_file)(fd, fresh);
  rename(fresh, kept);
}

static int synced(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = real(fd);
  if (!result) keep(fd);
  return result;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

/* For the benchmark itself: the key of a path, and keeping one as if it had been synced. */
int power_key(const char *path, char *key) { return key_of(AT_FDCWD, path, key); }
void power_keep(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) keep(fd);
  close(fd);
}
