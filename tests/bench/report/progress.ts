const startedAt = performance.now();

/** Prints progress to stderr: a single updated line in a terminal, separate lines otherwise. */
export function showProgress(text: string): void {
  const line = `${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}`;
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
}

/** Clears the progress line before the result is printed. */
export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
}
