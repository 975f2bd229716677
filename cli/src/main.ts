import { EXIT } from './failure.js';

const typed = process.argv.slice(2);
const isHook = typed[0] === 'hook' && !typed.includes('--help') && !typed.includes('-h');

for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // Who reads only the beginning (`| head`) has seen enough; and a hook is never in the way.
    if (code === 'EPIPE' || isHook) process.exit(EXIT.success);
    if (stream === process.stdout) process.stderr.write(`guildhall: Cannot write the output: ${message}\n`);
    process.exit(EXIT.failure);
  });

// Programs wait for hooks at every edit: they do without the parser and everything behind it.
if (isHook) void import('./hooks/hook.js').then(({ runHook }) => runHook(typed.slice(1), process.env));
else void import('./run.js').then(({ run }) => run(typed, process.env));
