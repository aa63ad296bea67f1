# Sourced: `target`, what the programs are built for, and the flags that make them need no library of the system.

host=$(rustc -vV | sed -n 's/^host: //p')
target=${VISA_TARGET:-}
if [ -z "$target" ]; then
    target=$host
    musl=${host/-gnu/-musl}
    if [ "$musl" != "$host" ] && [ -d "$(rustc --print sysroot)/lib/rustlib/$musl" ]; then target=$musl; fi
fi
case $target in
*-linux-gnu | *-windows-msvc) export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" ;;
esac
