// Builds the wheel of the server that the extension carries, from the project around it. PYTHON chooses the interpreter.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';

const python = process.env.PYTHON ?? 'python3';
for (const stale of ['bundled', '../build/lib']) {
  rmSync(stale, { recursive: true, force: true });
}
execFileSync(python, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', 'bundled', '..'], {
  stdio: 'inherit',
});
