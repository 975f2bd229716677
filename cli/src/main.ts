import { EXIT } from './failure.js';

const typed = process.argv.slice(2);
const isHook = typed[0] === 'hook' && !typed.includes('--help') && !typed.includes('-h');

for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early (`| head`) is not an error, and a hook never fails.
    if (code === 'EPIPE' || isHook) process.exit(EXIT.success);
    if (stream === process.stdout) process.stderr.write(`guildhall: Cannot write the output: ${message}\n`);
    process.exit(EXIT.failure);
  });

// Programs wait for a hook after every edit, so hooks skip loading the parser and the commands.
if (isHook) void import('./hooks/hook.js').then(({ runHook }) => runHook(typed.slice(1), process.env));
else void import('./run.js').then(({ run }) => run(typed, process.env));
