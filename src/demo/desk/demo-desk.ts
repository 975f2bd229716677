import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSidecarRelease } from '../../features/workstations/installer/installer.js';
import type { Log } from '../../kernel/log.js';

interface DemoDeskOptions {
  /** Root of the desk's file tree. */
  folder: string;
  log: Log;
}

interface DemoDeskSettings {
  deskId: string;
  pat: string;
  url: string;
  workspacePath: string;
}

/** Delay before a sidecar that exited is started again, because no init system supervises it. */
const RESTART_MS = 2_000;

export type DemoDesk = ReturnType<typeof createDemoDesk>;

/** A real desk for the demo: the same sidecar as on other machines, run by the service on loopback. */
export function createDemoDesk({ folder, log }: DemoDeskOptions) {
  const settingsPath = join(folder, 'etc/guildhall/desk.json');
  let sidecar: ChildProcess | undefined;
  let restart: NodeJS.Timeout | undefined;

  /**
   * Does nothing without a demo desk. The sidecar exits with the service, because its standard input is a
   * pipe from here.
   */
  async function start(): Promise<void> {
    if (sidecar || !existsSync(settingsPath)) return;
    const { version, codeDigest, bundle } = await loadSidecarRelease();
    const release = join(folder, 'opt/guildhall/sidecar', `${version}-${codeDigest.slice(0, 12)}`);
    await mkdir(release, { recursive: true });
    await writeFile(join(release, 'sidecar.mjs'), bundle);
    const child = spawn(process.execPath, [join(release, 'sidecar.mjs'), 'serve', '--with-parent'], {
      env: { GUILDHALL_ROOT: folder, PATH: '/usr/local/bin:/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.on('error', (error) => log.warn({ err: error }, 'The demo desk could not be started'));
    child.stdin?.on('error', () => {});
    child.on('exit', (code, signal) => {
      if (sidecar !== child) return;
      sidecar = undefined;
      log.warn({ code, signal }, 'The demo desk ended, and is started again');
      restart = setTimeout(() => void start(), RESTART_MS).unref();
    });
    child.unref();
    (child.stdin as unknown as { unref?(): void } | null)?.unref?.();
    sidecar = child;
  }

  return {
    start,

    async furnish(settings: DemoDeskSettings): Promise<void> {
      await mkdir(join(folder, 'etc/guildhall'), { recursive: true });
      const config = {
        env_id: settings.deskId,
        pat: settings.pat,
        url: settings.url,
        runtime: 'custom',
        installation_id: `demo-${settings.deskId}`,
        listen_host: '127.0.0.1',
        listen_port: 0,
        workspace_path: settings.workspacePath,
        home: folder,
        // The demo's own script needs no isolation, and other users may be unable to enter its folder.
        isolation: 'none',
        wrapper_only: true,
      };
      await writeFile(join(folder, 'etc/guildhall/coder'), DEMO_CODER, { mode: 0o755 });
      await writeFile(settingsPath, JSON.stringify(config, null, 2), { mode: 0o600 });
      await start();
    },

    stop(): void {
      clearTimeout(restart);
      const child = sidecar;
      sidecar = undefined;
      child?.kill('SIGTERM');
    },
  };
}

/**
 * Replaces the coder on the demo desk, so that a build can be tried without any account. The script says what
 * it is; everything else is real. It writes review comments and failed checks into the files that they refer
 * to, to show that they arrive.
 */
export const DEMO_CODER = `#!/bin/sh
set -eu

say() {
  printf '%s\\n' "$*"
  sleep 1
}

notes=$(mktemp -d)
trap 'rm -rf "$notes"' EXIT

# The brief keeps texts in fences: the first under "Title", under "Review comments" a place and a text for each, and under
# "Checks that failed" a name and the end of a log for each.
awk -v notes="$notes" '
  fence != "" && $0 == fence { fence = ""; close(file); next }
  fence != "" { print > file; next }
  /^## / { part = $0 }
  /^(At|About the whole change):$/ { number++; wanted = "place" }
  /^The line no longer exists/ { wanted = "context" }
  /^Answered:$/ { wanted = "" }
  /^\`\`\`/ {
    fence = $0
    sub(/[^\`].*/, "", fence)
    if (part == "## Title") file = notes "/title"
    else if (part == "## Checks that failed" && ++printed % 2 == 0) file = notes "/" printed ".check"
    else if (part == "## Review comments" && (wanted == "place" || wanted == "text")) file = notes "/" number "." wanted
    else file = "/dev/null"
    wanted = wanted == "place" || wanted == "context" ? "text" : ""
  }
' "$GUILDHALL_BRIEF"

title=$(head -n 1 "$notes/title" 2>/dev/null | cut -c 1-200)
result=''

say 'This is the stand-in for a coder in the demo world: it follows a script and does not think.'
say "The brief is $(wc -l <"$GUILDHALL_BRIEF" | tr -d ' ') lines long; the card is: $title"
say "The checkout holds $(git ls-files | wc -l | tr -d ' ') files; the newest commit is $(git log -1 --format='%h %s' | cut -c 1-100)"

asked=$(cat "$notes"/*.check 2>/dev/null | sed -n 's/^README.md must say: //p')
if [ -n "$asked" ]; then
  say "A check failed, and wants to read in README.md: $asked"
  printf '\\n%s\\n' "$asked" >>README.md
  result='README.md says what the check looked for.'
elif [ ! -e "$notes/1.text" ]; then
  say 'Writing into README.md'
  {
    printf '\\n## How the lamp is lit\\n\\n'
    printf 'Light the lamp with \`npm start\`, and put it out with Ctrl+C.\\n'
  } >>README.md
  result='README.md says how the lamp is lit.'
fi

# From the last line to the first: what is written in one place moves no line that another comment names.
order=$(for place in "$notes"/*.place; do
  [ -e "$place" ] || continue
  line=$(sed -n '1s/.*:\\([0-9][0-9]*\\)$/\\1/p' "$place")
  number=\${place##*/}
  echo "\${line:-0} \${number%.place}"
done | sort -rn | sed 's/.* //')

for number in $order; do
  place=$(head -n 1 "$notes/$number.place")
  case $place in 'by '*) place='the whole change' ;; esac
  wish=$(tr '\\n' ' ' <"$notes/$number.text" | sed 's/ *$//')
  path=\${place%:*}
  line=\${place##*:}
  case $line in '' | *[!0-9]*) path=$place line='' ;; esac
  git ls-files --error-unmatch -- "$path" >/dev/null 2>&1 || { path=README.md line=''; }
  say "A comment on $place: $wish"
  case $path in
    *.js | *.ts) mark='// ' ;;
    *.md) mark='' ;;
    *) mark='# ' ;;
  esac
  words="$mark$wish" awk -v line="$line" '
    { print }
    NR == line { print ENVIRON["words"]; said = 1 }
    END { if (!said) print "\\n" ENVIRON["words"] }
  ' "$path" >"$notes/changed"
  cat "$notes/changed" >"$path"
  say "Wrote it into $path\${line:+, below line $line}"
  result="- On \\\`$place\\\` you asked: “$wish” It now says exactly that.
$result"
done

[ -z "$order" ] || result="What the review asked for is done:

$result"

say "Changed: $(git diff --stat | tail -n 1)"
say 'Done.'

result="$result" awk 'BEGIN {
  text = ENVIRON["result"] "\\n\\nWritten by the script of the demo world."
  gsub(/\\\\/, "\\\\\\\\", text)
  gsub(/"/, "\\\\\\"", text)
  gsub(/\\n/, "\\\\n", text)
  gsub(/[\\001-\\037]/, " ", text)
  printf "{\\"outcome\\":\\"succeeded\\",\\"result\\":\\"%s\\"}", text
}' >"$GUILDHALL_RESULT"
`;
