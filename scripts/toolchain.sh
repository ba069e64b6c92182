# Source this file to put the pinned Node.js on PATH and to set TOLLGATE_PNPM. Requires $root. Exits if they are not installed.
case "$(uname -m)" in
  x86_64) tollgate_arch=x64 ;;
  aarch64 | arm64) tollgate_arch=arm64 ;;
  *) echo "tollgate: no pinned runtime for $(uname -m); x86_64 and arm64 are supported" >&2; exit 2 ;;
esac
# scripts/setup locks this file while it installs. A command that is started meanwhile waits for it.
if [ -z "${TOLLGATE_SETUP_RUNS-}" ] && [ -e "$root/tools/setup.lock" ] && ! flock --shared --nonblock "$root/tools/setup.lock" true; then
  echo "tollgate: waiting for scripts/setup to finish" >&2
  flock --shared "$root/tools/setup.lock" true
fi
tollgate_modules="$root/tools/node/node_modules"
export TOLLGATE_PNPM="$tollgate_modules/@pnpm/exe.linux-$tollgate_arch/pnpm"
if [ ! -x "$TOLLGATE_PNPM" ] || [ ! -x "$tollgate_modules/node-linux-$tollgate_arch/bin/node" ]; then
  echo "tollgate: the pinned runtime is not installed here. Run: scripts/setup" >&2
  exit 2
fi
export PATH="$tollgate_modules/node-linux-$tollgate_arch/bin:$PATH"
# Caches compiled code, because every process and thread loads up to several hundred source files when it starts. If the
# folder isn't writable, Node.js runs without the cache.
export NODE_COMPILE_CACHE="${NODE_COMPILE_CACHE:-$root/tools/compiled}"
