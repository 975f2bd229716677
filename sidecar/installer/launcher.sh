# Runs and looks after the Guildhall sidecar of this machine.
set -u

releases="$GUILDHALL_ROOT/opt/guildhall/sidecar"
settings="$GUILDHALL_ROOT/etc/guildhall"
state="$GUILDHALL_ROOT/var/lib/guildhall-sidecar"
# What this desk put on the machine, a kind and a path on each line; uninstall takes that and nothing else.
list="$settings/installed"
pid_file="$GUILDHALL_ROOT/run/guildhall-sidecar.pid"
log_file="$GUILDHALL_ROOT/var/log/guildhall-sidecar.log"
unit_file="$GUILDHALL_ROOT/etc/systemd/system/guildhall-sidecar.service"
boot_file="$GUILDHALL_ROOT/etc/cron.d/guildhall-sidecar"
self="$GUILDHALL_ROOT/usr/local/bin/guildhall-sidecar"
interface=guildhall0
trial_seconds="${GUILDHALL_TRIAL_SECONDS:-30}"

node="$(cat "$settings/node-path" 2>/dev/null || command -v node || true)"
export PATH="${node%/*}:$PATH:/usr/local/sbin:/usr/sbin:/sbin"

has_systemd() { [ -z "$GUILDHALL_ROOT" ] && [ -d /run/systemd/system ] && command -v systemctl >/dev/null; }

bundle() { echo "$releases/$(cat "$releases/current")/sidecar.mjs"; }

mesh_up() {
  [ -f "$settings/mesh.conf" ] || return 0
  local address allowed
  { read -r address; read -r allowed; } <"$settings/mesh.address"
  if ! ip link show dev "$interface" >/dev/null 2>&1; then
    ip link add dev "$interface" type wireguard 2>/dev/null || wireguard-go "$interface" >/dev/null 2>&1 || return 1
  fi
  wg setconf "$interface" "$settings/mesh.conf" &&
    ip address replace "$address/32" dev "$interface" &&
    ip link set dev "$interface" up &&
    ip route replace "$allowed" dev "$interface"
}

mesh_down() {
  [ -f "$settings/mesh.conf" ] || return 0
  ip link delete dev "$interface" 2>/dev/null || true
}

go_back() {
  local digest
  digest="$(cat "$releases/trial")"
  echo "The new release did not come up; going back to $(cat "$releases/previous")" >&2
  cp "$releases/previous" "$releases/current"
  printf '{"code_digest":"%s","error":"The new release did not come up; the desk went back to the one before"}' "$digest" \
    >"$releases/update-failure.json"
  rm -f "$releases/trial"
}

# One life of the sidecar. While a new release is on trial it has to remove the trial file itself, by answering a check.
run_once() {
  mesh_up || echo "The mesh is not up yet" >&2
  GUILDHALL_SUPERVISED=1 "$node" "$(bundle)" serve &
  child=$!
  trap 'kill -TERM "$child" 2>/dev/null; wait "$child"; exit 0' TERM INT
  local waited=0
  while [ -f "$releases/trial" ] && kill -0 "$child" 2>/dev/null && [ "$waited" -lt $((trial_seconds * 10)) ]; do
    sleep 0.1
    waited=$((waited + 1))
  done
  if [ -f "$releases/trial" ]; then
    kill -KILL "$child" 2>/dev/null
    go_back
  fi
  wait "$child" 2>/dev/null
}

supervise() {
  while :; do
    run_once
    sleep 1 &
    wait $!
  done
}

supervisor_pid() {
  local pid
  pid="$(cat "$pid_file" 2>/dev/null)" || return 1
  tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q 'guildhall-sidecar supervise' && echo "$pid"
}

start() {
  if has_systemd; then
    systemctl daemon-reload && systemctl enable --quiet guildhall-sidecar && systemctl restart guildhall-sidecar
  else
    stop
    mkdir -p "${pid_file%/*}" "${log_file%/*}"
    setsid nohup bash "$self" supervise </dev/null >>"$log_file" 2>&1 &
    echo $! >"$pid_file"
  fi
}

stop() {
  if has_systemd; then
    systemctl stop guildhall-sidecar 2>/dev/null || true
    return 0
  fi
  local pid waited=0
  pid="$(supervisor_pid)" || return 0
  kill -TERM "$pid" 2>/dev/null
  while kill -0 "$pid" 2>/dev/null && [ "$waited" -lt 50 ]; do
    sleep 0.1
    waited=$((waited + 1))
  done
  kill -KILL "-$pid" 2>/dev/null
  rm -f "$pid_file"
}

own() { grep -qxF -- "$1 $2" "$list" 2>/dev/null || printf '%s %s\n' "$1" "$2" >>"$list"; }

# A folder that was there before is somebody else's.
own_folder() {
  local folder="$1" old="${2:-}"
  if [ -d "$folder" ] && [ -z "$old" ]; then return 0; fi
  mkdir -p "$folder" && own folder "$folder"
}

# Puts the folders and the list right; can be repeated. A desk without a list is of the time when there was none.
settle() {
  local old='' name release
  if [ -f "$settings/desk.json" ] && [ ! -f "$list" ]; then old=yes; fi
  if [ ! -d "$settings" ]; then
    mkdir -p "$settings"
    own folder "$settings"
  elif [ -n "$old" ]; then own folder "$settings"; fi
  chmod 700 "$settings"
  for name in "${releases%/*}" "$releases" "$state" "$state/builds" "$state/pending-sync"; do own_folder "$name" "$old"; done
  for name in desk.json installation-id slots commit-identity node-path update-sequence mesh.keys mesh.conf mesh.address; do own file "$settings/$name"; done
  for name in current previous trial url update-failure.json lock; do own file "$releases/$name"; done
  for name in "$self" "$unit_file" "$boot_file" "$log_file" "$pid_file"; do own file "$name"; done
  for name in claude codex; do own link "$GUILDHALL_ROOT/usr/local/bin/$name"; done
  for release in "$releases"/*/sidecar.mjs; do if [ -f "$release" ]; then own tree "${release%/*}"; fi; done
  for name in builds work checkouts check-work check-checkouts cache; do own tree "$state/$name"; done
  own tree "${releases%/*}/runtime"
  if [ -n "$old" ]; then
    own tree "${releases%/*}/node"
    own_workspace "$(sed -n 's/^ *"workspace_path": *"\([^"]*\)".*/\1/p' "$settings/desk.json")" old
    leave_old_state
  fi
}

own_workspace() {
  case "$1" in /srv/guildhall/*) ;; *) return 0 ;; esac
  own_folder "$GUILDHALL_ROOT/srv/guildhall" "${2:-}"
  own_folder "$GUILDHALL_ROOT$1" "${2:-}"
}

# The first desks kept their state in the folder where the service may keep its database. It moves; whatever else is there stays.
leave_old_state() {
  local old="$GUILDHALL_ROOT/var/lib/guildhall" name file
  for name in builds pending-sync; do
    if [ ! -d "$old/$name" ] || [ -L "$old/$name" ]; then continue; fi
    for file in "$old/$name"/*; do if [ -e "$file" ]; then mv -f "$file" "$state/$name/"; fi; done
    rmdir "$old/$name" 2>/dev/null
  done
  rmdir "$old" 2>/dev/null || true
}

remove_listed() {
  local kind path
  while read -r kind path; do
    case "$path" in *..*) continue ;; esac
    case "$kind" in
      file) rm -f "$path" "$path".new "$path".[0-9]*.new ;;
      link) case "$(readlink "$path" 2>/dev/null)" in "$GUILDHALL_ROOT/opt/guildhall/"*) rm -f "$path" ;; esac ;;
      tree) case "$path" in "$GUILDHALL_ROOT/opt/guildhall/"?* | "$state/"?*) rm -rf "$path" ;; esac ;;
    esac
  done
}

uninstall() {
  [ "$(id -u)" -eq 0 ] || { echo "uninstall needs root" >&2; exit 6; }
  settle
  stop
  # Builds outlive the sidecar, so they are ended by themselves.
  if [ -d "$state/work" ]; then "$node" "$(bundle)" stop-builds || echo "A build could not be ended" >&2; fi
  has_systemd && systemctl disable --quiet guildhall-sidecar 2>/dev/null
  mesh_down
  local folders folder
  folders="$(sed -n 's/^folder //p' "$list" | sort -r)"
  remove_listed <"$list"
  rm -f "$list"
  has_systemd && systemctl daemon-reload
  while read -r folder; do
    rmdir "$folder" 2>/dev/null || { [ -d "$folder" ] && echo "$folder is not empty and was left where it is"; }
  done <<<"$folders"
  echo "The Guildhall sidecar was removed from this machine"
}

status() {
  if has_systemd; then systemctl is-active guildhall-sidecar; else supervisor_pid >/dev/null && echo active || echo inactive; fi
  "$node" "$(bundle)" version
}

case "${1:-}" in
  run) run_once ;;
  supervise) supervise ;;
  start | stop | status | settle | uninstall) "$1" ;;
  own-workspace) own_workspace "$2" ;;
  own-node) own tree "${releases%/*}/node" ;;
  mesh-up) mesh_up ;;
  mesh-down) mesh_down ;;
  version | install-runtime | build) exec "$node" "$(bundle)" "$@" ;;
  *)
    echo "Usage: guildhall-sidecar start | stop | status | version | build -- <command> | uninstall" >&2
    exit 2
    ;;
esac
