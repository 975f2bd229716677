/**
 * Builds on the demo desk in the place of a coding agent, so that the way of a card can be watched without an account
 * anywhere. It follows a script and says so; everything around it is real.
 */
export const DEMO_CODER = `#!/bin/sh
set -eu

say() {
  printf '%s\\n' "$*"
  sleep 1
}

card=$(sed -n 's/^#[# ]*//p' "$GUILDHALL_BRIEF" | head -n 1 | cut -c 1-200)

say 'This is the stand-in for a coder in the demo world: it follows a script and thinks of nothing by itself.'
say "The brief is $(wc -l <"$GUILDHALL_BRIEF" | tr -d ' ') lines long and begins with: $card"
say "The checkout holds $(git ls-files | wc -l | tr -d ' ') files; the newest commit is $(git log -1 --format='%h %s' | cut -c 1-100)"

say 'Writing into README.md'
{
  printf '\\n## %s\\n\\n' "$card"
  printf 'Light the lamp with \`npm start\`, and put it out with Ctrl+C.\\n'
} >>README.md

say "Changed: $(git diff --stat -- README.md | tail -n 1)"
say 'Done.'
printf '{"outcome":"succeeded","result":"README.md says how the lamp is lit. Written by the script of the demo world."}' >"$GUILDHALL_RESULT"
`;
