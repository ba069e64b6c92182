const WORDS: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  ENOSPC: ["No space left on the disk", "Free up disk space"],
  EDQUOT: ["The disk quota is exceeded", "Free up disk space"],
  EROFS: ["The file system is read-only", "Choose a writable directory"],
  EACCES: ["Permission denied", "Change the owner or mode of the directory, or choose another directory"],
  EPERM: ["Permission denied", "Change the owner or mode of the directory, or choose another directory"],
  ENOTDIR: ["Expected a directory, found a file", "Choose another directory"],
  EISDIR: ["Expected a file, found a directory", "Specify a file path"],
  ENOENT: ["File or directory not found", "Check the path"],
  EADDRINUSE: ["The port is in use", "Choose another port with --port, or omit --port to use a free one"],
  EMFILE: ["Too many open files", "Raise the limit (ulimit -n), or use fewer participants"],
};

interface SystemProblem {
  readonly message: string;
  readonly fix: string;
}

/** Describes an operating system error, including the path and a fix; returns null for any other error. */
export function describeSystemError(error: unknown): SystemProblem | null {
  const { code = "", path, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const words = WORDS[code];
  if (words === undefined) return null;
  const place = path ?? (port === undefined ? null : `${address}:${port}`);
  return { message: `${words[0]}${place === null ? "" : `: ${place}`} (${code}).`, fix: words[1] };
}
