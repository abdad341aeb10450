#!/bin/sh
# with_ccache.sh CCACHE COMPILER ARGUMENT...: compiles through ccache. A file is compiled once for all clones on a machine: paths below
# the clone are made relative, the build folder does not count, and precompiled headers are cached as well.
#
# ccache knows a precompiled header by its contents, 70 MB and more that it would read for every file (0.07 s each); it
# takes the checksum beside the header instead, which is written here when the header is. What a file includes is
# read off the compiler's own list, so that the preprocessor does not run once more before it (depend mode).
clone=${0%/cmake/with_ccache.sh}
export CCACHE_BASEDIR="$clone" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_PCH_EXTSUM=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
case " $* " in
  *.gch\ *) ;;
  *) exec "$@" ;;
esac
"$@" || exit
while [ $# -gt 1 ]; do
  if [ "$1" = -o ]; then
    sha256sum <"$2" >"$2.sum"
    exit
  fi
  shift
done
