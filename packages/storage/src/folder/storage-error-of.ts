import { StorageError, type StorageProblem } from "../storage.ts";

const problems: Readonly<Record<string, StorageProblem>> = {
  EEXIST: "exists",
  ENOENT: "missing",
  ENOTDIR: "missing",
  EISDIR: "missing",
  ELOOP: "missing",
  ENOSPC: "full",
  EDQUOT: "full",
  EFBIG: "full",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
};

const messages: Readonly<Record<StorageProblem, string>> = {
  exists: "already exists",
  missing: "does not exist",
  too_large: "is too large",
  truncated: "is shorter than expected",
  full: "could not be written, because no space is left",
  denied: "cannot be accessed with the permissions of this process",
  unavailable: "could not be accessed",
};

/** Converts an error of the file system. */
export function storageErrorOf(error: unknown, key: string, location: string): StorageError {
  if (error instanceof StorageError) return error;
  const code = (error as NodeJS.ErrnoException | null)?.code ?? "";
  const kind = problems[code] ?? "unavailable";
  const name = key === "" ? `the storage folder ${location}` : `${key} in ${location}`;
  return new StorageError(kind, `${name} ${messages[kind]}${code === "" ? "" : ` (${code})`}`, { cause: error });
}
