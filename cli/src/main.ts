import { EXIT } from './failure.js';

const typed = process.argv.slice(2);

// Who reads only the beginning (`| head`) has seen enough.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.success);
    throw error;
  });

// Programs wait for hooks at every edit: they do without the parser and everything behind it.
if (typed[0] === 'hook' && !typed.includes('--help') && !typed.includes('-h'))
  void import('./hooks/hook.js').then(({ runHook }) => runHook(typed.slice(1), process.env));
else void import('./run.js').then(({ run }) => run(typed, process.env));
