const startedAt = performance.now();

/** Says on stderr what is going on: one line that changes on a terminal, one line each elsewhere. */
export function showProgress(text: string): void {
  const line = `${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`;
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
}

/** Takes the changing line away before the result is printed. */
export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}
