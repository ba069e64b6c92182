const WORDS: Readonly<Record<string, readonly [what: string, fix: string]>> = {
  ENOSPC: ["There is no space left on the disk", "free some space"],
  EDQUOT: ["The disk quota is used up", "free some space"],
  EROFS: ["The file system is read-only", "choose a folder that can be written to"],
  EACCES: ["This user may not do that here", "mend the owner or mode of the folder, or choose another"],
  EPERM: ["This user may not do that here", "mend the owner or mode of the folder, or choose another"],
  ENOTDIR: ["A file is where a folder has to be", "choose another folder"],
  EISDIR: ["A folder is where a file has to be", "name the file"],
  ENOENT: ["A file or folder is missing", "check the path"],
  EADDRINUSE: ["The port is taken by another program", "choose another with --port, or leave it away for a free one"],
  EMFILE: ["Too many files are open", "raise the limit (ulimit -n), or take fewer participants"],
};

export interface SystemProblem {
  readonly message: string;
  readonly fix: string;
}

/** What the operating system refused, in words, with the place and what to do; null for any other error. */
export function describeSystemError(error: unknown): SystemProblem | null {
  const { code = "", path, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const words = WORDS[code];
  if (words === undefined) return null;
  const place = path ?? (port === undefined ? null : `${address}:${port}`);
  return { message: `${words[0]}${place === null ? "" : `: ${place}`} (${code}).`, fix: words[1] };
}
