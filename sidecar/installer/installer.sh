#!/usr/bin/env bash
# Guildhall: makes this machine a desk. Nothing runs before the last line has arrived.
#   GUILDHALL_SLOTS=<n>   how many builds this machine takes at once (0 to 64; 1 unless it was said before)
#   GUILDHALL_COMMIT_IDENTITY='<name> <<address>>'   whose commits those are that this machine makes for a coder
#   GUILDHALL_DRY_RUN=1   check everything, say what would be done, change nothing
#   guildhall-sidecar uninstall   takes everything away again
# Exit codes: 0 done, 6 not root, 10 unsupported system, 11 download failed, 12 digest mismatch, 13 token refused,
#   14 machine already hosts another desk, 15 mesh failed, 1 the sidecar did not come up.
main() {
  set -euo pipefail
  umask 022
  exec </dev/null
  PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

  local pat=@@PAT@@
  local env_id=@@ENV_ID@@
  local url=@@URL@@
  local runtime=@@RUNTIME@@
  local bundle_url=@@BUNDLE_URL@@
  local version=@@VERSION@@
  local digest=@@DIGEST@@
  local node_version=@@NODE_VERSION@@
  local node_mirror="${GUILDHALL_NODE_MIRROR:-https://nodejs.org/dist}"
  local port="${GUILDHALL_SIDECAR_PORT:-@@PORT@@}"
  local slots="${GUILDHALL_SLOTS:-}"
  local identity="${GUILDHALL_COMMIT_IDENTITY:-}"
  local root="${GUILDHALL_ROOT:-}"

  local settings="$root/etc/guildhall" releases="$root/opt/guildhall/sidecar"
  local launcher="$root/usr/local/bin/guildhall-sidecar"
  local release="$version-${digest:0:12}"
  work='' step=preflight fresh='' node='' workspace=''

  say() { printf '%s\n' "guildhall: $*"; }

  json() {
    local text="$1"
    text="${text//\\/\\\\}"
    text="${text//\"/\\\"}"
    printf '"%s"' "${text//[[:cntrl:]]/}"
  }

  # The token goes through a file: arguments of a process can be read by everybody on the machine.
  workplace() {
    [ -z "$work" ] || return 0
    work="$(mktemp -d "${TMPDIR:-/tmp}/guildhall.XXXXXXXX")"
    chmod 700 "$work"
    printf 'authorization: Bearer %s\n' "$pat" >"$work/headers"
  }

  # Leaves the status of the answer in $http; 000 when there was none.
  call() {
    workplace
    http="$(curl -sS -o "$work/answer" -w '%{http_code}' --connect-timeout 10 --max-time 30 -H "@$work/headers" \
      -H 'content-type: application/json' --data-binary "$2" "$url/api/v1/desk/$1" 2>/dev/null)" || http=000
  }

  report() {
    if [ "${GUILDHALL_DRY_RUN:-}" = 1 ] || ! command -v curl >/dev/null || ! command -v mktemp >/dev/null; then return 0; fi
    call step "{\"step\":$(json "$step"),\"exit_code\":$1,\"message\":$2}"
  }

  fail() {
    local code="$1"
    shift
    say "$*" >&2
    case "$code" in 6 | 14) ;; *) report "$code" "$(json "$*")" ;; esac
    exit "$code"
  }

  # A first run that did not get to its end leaves nothing; a repair leaves what was there.
  tidy() {
    local code=$?
    trap - EXIT
    if [ "$code" -ne 0 ] && [ "$fresh" = yes ] && [ -f "$launcher" ]; then bash "$launcher" uninstall >/dev/null 2>&1 || true; fi
    [ -z "$work" ] || rm -rf "$work"
    exit "$code"
  }
  trap tidy EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  read_answer() { "$node" -e 'const a=JSON.parse(require("fs").readFileSync(process.argv[1],"utf8"));const v=a[process.argv[2]];console.log(v===null||v===undefined?"":v)' "$work/answer" "$1"; }

  usable_node() { [ -x "$1" ] && [ "$("$1" -p 'Number(process.versions.node.split(".")[0])' 2>/dev/null || echo 0)" -ge 18 ]; }

  check_system() {
    [ "$(id -u)" -eq 0 ] || fail 6 "root is needed: use the command that ends with '| sudo bash'"
    [ "$(uname -s)" = Linux ] || fail 10 "only Linux is supported, this is $(uname -s)"
    case "$(uname -m)" in
      x86_64 | amd64) node_arch=x64 ;;
      aarch64 | arm64) node_arch=arm64 ;;
      *) fail 10 "processor $(uname -m) is not supported" ;;
    esac
    local tool
    for tool in curl sha256sum tar mktemp sed grep tr; do
      command -v "$tool" >/dev/null || fail 10 "$tool is needed and missing"
    done
    case "$port" in *[!0-9]* | '') fail 10 "GUILDHALL_SIDECAR_PORT must be a number" ;; esac
    case "$slots" in '' | [0-9] | [1-5][0-9] | 6[0-4]) ;; *) fail 10 "GUILDHALL_SLOTS must be a number from 0 to 64" ;; esac
    case "$identity" in '' | ?*" <"?*@?*">") ;; *) fail 10 "GUILDHALL_COMMIT_IDENTITY must be of the form Name <address>" ;; esac
  }

  fetch() { curl -fsSL --connect-timeout 10 --max-time 300 --retry 2 --retry-delay 1 -o "$2" "$1" 2>/dev/null; }

  download() {
    step=download
    workplace
    say "fetching the sidecar $version"
    fetch "$bundle_url" "$work/sidecar.mjs" && [ -s "$work/sidecar.mjs" ] || fail 11 "the sidecar could not be fetched from $bundle_url"
    local candidate
    for candidate in "$root/opt/guildhall/node/bin/node" "$(command -v node || true)"; do
      if [ -n "$candidate" ] && usable_node "$candidate"; then
        node="$candidate"
        return 0
      fi
    done
    node_archive="node-$node_version-linux-$node_arch.tar.gz"
    say "fetching Node $node_version"
    fetch "$node_mirror/$node_version/$node_archive" "$work/$node_archive" &&
      fetch "$node_mirror/$node_version/SHASUMS256.txt" "$work/node.sums" || fail 11 "Node could not be fetched from $node_mirror"
  }

  check_digests() {
    step=digest
    local found
    found="$(sha256sum "$work/sidecar.mjs")"
    [ "${found%% *}" = "$digest" ] || fail 12 "the sidecar does not have the digest $digest: nothing was installed"
    [ -z "$node" ] || return 0
    (cd "$work" && grep " $node_archive\$" node.sums | sha256sum -c --status -) || fail 12 "Node does not have the digest its makers published"
    mkdir "$work/node"
    tar -xzf "$work/$node_archive" -C "$work/node" --strip-components=1 || fail 12 "the Node archive cannot be read"
    node="$work/node/bin/node"
    usable_node "$node" || fail 10 "Node $node_version does not run on this system"
  }

  say_plan() {
    say "dry run, nothing was changed. The installer would"
    say "  install the sidecar $version (sha256 $digest) in $root/opt/guildhall"
    case "$node" in "$work"/*) say "  install Node $node_version in $root/opt/guildhall/node" ;; *) say "  use $node" ;; esac
    say "  report to $url as desk $env_id"
    say "  keep its settings in $settings, and its launcher in $launcher"
    say "  join the mesh, when the service has one, as interface guildhall0"
    [ "$runtime" = custom ] || say "  install the runtime $runtime in $root/opt/guildhall/runtime"
  }

  say_hello() {
    step=hello
    installation_id="$(cat "$settings/installation-id" 2>/dev/null || cat /proc/sys/kernel/random/uuid)"
    local host
    host="$(cat /proc/sys/kernel/hostname 2>/dev/null || echo unknown)"
    call hello "{\"env_id\":$(json "$env_id"),\"hostname\":$(json "$host"),\"installation_id\":$(json "$installation_id")}"
    case "$http" in
      200) ;;
      409) fail 14 "this machine already hosts another desk of this workspace: run guildhall-sidecar uninstall first, or use another machine" ;;
      4*) fail 13 "the service refused the token: order a new one with regenerate-pat and use its command" ;;
      *) fail 11 "the service at $url did not answer" ;;
    esac
    workspace="$(read_answer workspace_path)"
    refuse_other_desk
  }

  # A desk of another workspace lives here and its token still counts: it must not lose its machine by accident.
  refuse_other_desk() {
    [ -f "$settings/desk.json" ] || return 0
    local other
    other="$("$node" -e 'const c=JSON.parse(require("fs").readFileSync(process.argv[1],"utf8"));if(c.env_id!==process.argv[2]){require("fs").writeFileSync(process.argv[3],`authorization: Bearer ${c.pat}\n`,{mode:0o600});console.log(c.url)}' "$settings/desk.json" "$env_id" "$work/other")" || return 0
    [ -n "$other" ] || return 0
    http="$(curl -sS -o /dev/null -w '%{http_code}' --max-time 15 -H "@$work/other" -H 'content-type: application/json' -d '{}' "$other/api/v1/desk/heartbeat" 2>/dev/null)" || http=000
    [ "$http" = 401 ] || fail 14 "this machine hosts a desk of another workspace: run guildhall-sidecar uninstall first, or use another machine"
  }

  install_files() {
    step=files
    report null null
    [ -f "$settings/desk.json" ] || fresh=yes
    mkdir -p "${launcher%/*}"
    write_launcher >"$launcher.new"
    chmod 755 "$launcher.new"
    mv -f "$launcher.new" "$launcher"
    # Listed before it is made: whatever happens from here on, uninstall knows of it.
    bash "$launcher" settle && bash "$launcher" own-workspace "$workspace" || fail 1 "the desk's folders could not be made"
    mkdir -p "$releases/$release"
    printf '%s\n' "$installation_id" >"$settings/installation-id"
    # A second run that does not speak of slots leaves them as they are.
    if [ -n "$slots" ] || [ ! -s "$settings/slots" ]; then printf '%s\n' "${slots:-1}" >"$settings/slots"; fi
    if [ -n "$identity" ]; then printf '%s\n' "$identity" >"$settings/commit-identity"; fi
    if [ -d "$work/node" ]; then
      bash "$launcher" own-node
      rm -rf "$root/opt/guildhall/node"
      cp -a "$work/node" "$root/opt/guildhall/node"
      node="$root/opt/guildhall/node/bin/node"
    fi
    printf '%s\n' "$node" >"$settings/node-path"
    cp "$work/sidecar.mjs" "$releases/$release/sidecar.mjs"
    rm -f "$releases/trial" "$releases/update-failure.json"
    printf '%s\n' "$release" >"$releases/current"
  }

  write_launcher() {
    printf '#!/usr/bin/env bash\nexport GUILDHALL_ROOT=%q\n' "$root"
    cat <<'GUILDHALL_LAUNCHER'
@@LAUNCHER@@
GUILDHALL_LAUNCHER
  }

  join_mesh() {
    step=mesh
    report null null
    local keys
    if [ ! -s "$settings/mesh.keys" ]; then
      keys="$("$node" "$releases/$release/sidecar.mjs" mesh-keys)" || fail 15 "no key could be made for the mesh"
      (umask 077 && printf '%s\n' "$keys" >"$settings/mesh.keys")
    fi
    local private public
    read -r private public <"$settings/mesh.keys"
    call mesh "{\"public_key\":$(json "$public")}"
    [ "$http" = 200 ] || fail 15 "the service did not register this desk in its mesh ($http)"
    address="$(read_answer address)"
    if [ -z "$address" ]; then
      rm -f "$settings/mesh.conf" "$settings/mesh.address"
      return 0
    fi
    need_mesh_tools
    (
      umask 077
      printf '[Interface]\nPrivateKey = %s\n[Peer]\nPublicKey = %s\nEndpoint = %s\nAllowedIPs = %s\nPersistentKeepalive = %s\n' \
        "$private" "$(read_answer server_public_key)" "$(read_answer endpoint)" "$(read_answer allowed_ips)" "$(read_answer keepalive)" >"$settings/mesh.conf"
      printf '%s\n%s\n' "$address" "$(read_answer allowed_ips)" >"$settings/mesh.address"
    )
    bash "$launcher" mesh-up || fail 15 "the mesh interface could not be set up"
    await_handshake || fail 15 "the mesh did not answer at $(read_answer endpoint): is outgoing UDP allowed?"
  }

  need_mesh_tools() {
    if command -v ip >/dev/null && command -v wg >/dev/null; then return 0; fi
    say "installing WireGuard tools"
    {
      if command -v apt-get >/dev/null; then apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q wireguard-tools iproute2
      elif command -v dnf >/dev/null; then dnf install -y -q wireguard-tools iproute
      elif command -v yum >/dev/null; then yum install -y -q wireguard-tools iproute
      elif command -v zypper >/dev/null; then zypper -q install -y wireguard-tools iproute2
      elif command -v pacman >/dev/null; then pacman -S --noconfirm --needed wireguard-tools iproute2
      elif command -v apk >/dev/null; then apk add --no-progress wireguard-tools iproute2
      fi
    } >/dev/null 2>&1 || true
    command -v ip >/dev/null && command -v wg >/dev/null || fail 15 "wireguard-tools and iproute2 are needed and could not be installed"
  }

  await_handshake() {
    local tries
    for tries in $(seq 1 60); do
      if wg show guildhall0 latest-handshakes 2>/dev/null | awk '$2 > 0 { found = 1 } END { exit !found }'; then return 0; fi
      sleep 0.25
    done
    return 1
  }

  write_settings() {
    local listen owner_home
    listen="$address"
    [ -n "$listen" ] || listen="$("$node" -e 'const u=new URL(process.argv[1]);const h=u.hostname.replace(/^\[|\]$/g,"");const s=require("net").connect({host:h,port:u.port||(u.protocol==="https:"?443:80)},()=>{console.log(s.localAddress.replace(/^::ffff:/,""));s.destroy()});s.on("error",()=>process.exit(1))' "$url")" || fail 1 "no address to listen on was found"
    owner_home="$(getent passwd "${SUDO_USER:-root}" 2>/dev/null | cut -d: -f6 || true)"
    (
      umask 077
      printf '{\n  "env_id": %s,\n  "pat": %s,\n  "url": %s,\n  "runtime": %s,\n  "installation_id": %s,\n  "listen_host": %s,\n  "listen_port": %s,\n  "workspace_path": %s,\n  "home": %s\n}\n' \
        "$(json "$env_id")" "$(json "$pat")" "$(json "$url")" "$(json "$runtime")" "$(json "$installation_id")" "$(json "$listen")" \
        "$port" "$(json "$workspace")" "$(json "${owner_home:-${HOME:-/root}}")" >"$settings/desk.json.new"
    )
    mv -f "$settings/desk.json.new" "$settings/desk.json"
  }

  start_sidecar() {
    step=sidecar
    report null null
    write_settings
    if [ -z "$root" ] && [ -d /run/systemd/system ]; then write_unit >/etc/systemd/system/guildhall-sidecar.service
    elif [ -d "$root/etc/cron.d" ]; then printf '@reboot root bash %s start\n' "$launcher" >"$root/etc/cron.d/guildhall-sidecar"
    else
      say "neither systemd nor cron is here: nothing starts this desk after a reboot. Have '$launcher start' run then" >&2
    fi
    rm -f "$releases/url"
    bash "$launcher" start || fail 1 "the sidecar could not be started"
    local tries
    for tries in $(seq 1 100); do
      if [ -s "$releases/url" ] && curl -fsS -o /dev/null --max-time 5 -H 'x-guildhall-nonce: 00000000000000000000000000000000' "$(cat "$releases/url")/health" 2>/dev/null; then return 0; fi
      sleep 0.2
    done
    fail 1 "the sidecar did not come up: see its log"
  }

  write_unit() {
    cat <<GUILDHALL_UNIT
[Unit]
Description=Guildhall sidecar
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=$(command -v bash) $launcher run
Restart=always
RestartSec=1
KillMode=process
NoNewPrivileges=yes

[Install]
WantedBy=multi-user.target
GUILDHALL_UNIT
  }

  # The desk is up without it; what cannot be fetched now, the sidecar fetches later.
  install_runtime() {
    local command
    case "$runtime" in claude_code) command=claude ;; codex) command=codex ;; *) return 0 ;; esac
    step=runtime
    report null null
    if command -v "$command" >/dev/null; then return 0; fi
    say "installing the runtime $runtime"
    if timeout 600 bash "$launcher" install-runtime >/dev/null 2>&1; then
      [ -e "$root/usr/local/bin/$command" ] || ln -s "$root/opt/guildhall/runtime/bin/$command" "$root/usr/local/bin/$command"
    else
      say "the runtime $runtime could not be fetched now; the sidecar tries again every hour" >&2
      report null "$(json "the runtime $runtime could not be fetched now; the sidecar tries again every hour")"
    fi
  }

  # The desk is a desk without them; it asks for builds as soon as they are there.
  say_build_tools() {
    local tool
    for tool in git setpriv unshare; do
      command -v "$tool" >/dev/null || say "$tool is missing: this desk cannot build until it is installed" >&2
    done
  }

  check_system
  download
  check_digests
  if [ "${GUILDHALL_DRY_RUN:-}" = 1 ]; then
    say_plan
    exit 0
  fi
  say_hello
  address='' fresh=''
  install_files
  join_mesh
  start_sidecar
  fresh=no
  install_runtime
  step=done
  report 0 null
  say_build_tools
  say "this machine is desk $env_id; the service looks at it within half a minute"
  exit 0
}
main "$@"
