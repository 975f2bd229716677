/**
 * What builds on the demo desk: no model, but a real change in a real checkout, so that a build of the demo world has a
 * log, commits and a result to look at.
 */
export const DEMO_CODER = `#!/bin/sh
set -e
say() { printf '%s\\n' "$*"; sleep 0.4; }
ref=$(git symbolic-ref --short HEAD | sed 's|^guildhall/||; s|-[0-9]*$||' | tr '[:lower:]' '[:upper:]')
say "Reading the brief of $ref ($(wc -l <"$GUILDHALL_BRIEF" | tr -d ' ') lines)"
say "Looking around: $(git ls-files | wc -l | tr -d ' ') files"
file=NOTES.md
[ -e "$file" ] || printf '# Notes\\n' >"$file"
printf '\\n- %s was looked at by the demo coder, which changes this file and nothing else.\\n' "$ref" >>"$file"
say "Writing $file"
git add "$file"
git commit --quiet -m "$ref: Note what was looked at"
say "Done"
printf '{"outcome":"succeeded","result":"Added a line to %s.","usage":{"tokens_in":1200,"tokens_out":180,"cost_usd":0}}' "$file" >"$GUILDHALL_RESULT"
`;
