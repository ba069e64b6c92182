import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, link, lstat, mkdir, open, readdir, realpath, rename, stat, unlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { MeasuredContent } from "../measured-content.ts";
import { isObjectKey, requireFolderPrefix, requireObjectKey } from "../object-key.ts";
import {
  type ByteRange,
  type ObjectContent,
  type ObjectStorage,
  StorageError,
  type StoredObject,
  type WriteOptions,
  type WrittenObject,
} from "../storage.ts";
import { storageErrorOf } from "./storage-error-of.ts";

/** Folder for files that are being written. No key starts with a dot. */
const DRAFTS = ".drafts";
const READ_BYTES = 256 * 1024;
/** Errors of file systems without hard links, such as some network shares. */
const WITHOUT_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/**
 * Stores each object as a file. A file is written under another name, synced, and then gets its name in one step, so a
 * crash leaves either a complete file or none. The folder must exist, so that a file system that is not mounted is an
 * error. Links in the folder are neither objects nor followed, because they could lead out of it.
 */
export class FolderStorage implements ObjectStorage {
  readonly location: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.location = root;
  }

  async write(key: string, content: ObjectContent, options: WriteOptions = {}): Promise<WrittenObject> {
    requireObjectKey(key);
    const measured = new MeasuredContent(content, options);
    const draft = join(this.#root, DRAFTS, randomUUID());
    try {
      const file = await this.#run(key, () => this.#openDraft(draft));
      try {
        for await (const chunk of measured) await this.#run(key, () => writeAll(file, chunk));
        await this.#run(key, () => file.sync());
      } finally {
        await file.close();
      }
      await this.#run(key, () => this.#publish(draft, key));
    } finally {
      await unlink(draft).catch(() => {});
    }
    return { key, bytes: measured.bytes, sha256: measured.sha256() };
  }

  async *read(key: string, range?: ByteRange): AsyncGenerator<Uint8Array, void> {
    requireObjectKey(key);
    const file = await this.#run(key, () => this.#openFile(key)).catch(async (error: unknown) => {
      await this.#requireRoot();
      throw error;
    });
    try {
      const found = await this.#run(key, () => file.stat());
      if (!found.isFile()) throw storageErrorOf(missing(), key, this.location);
      const end = range?.end ?? found.size;
      let position = range?.start ?? 0;
      while (position < end) {
        const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - position));
        const { bytesRead } = await this.#run(key, () => file.read(buffer, 0, buffer.length, position));
        if (bytesRead === 0) throw new StorageError("truncated", `${key} in ${this.location} ends before byte ${end}`);
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }

  async find(key: string): Promise<StoredObject | null> {
    requireObjectKey(key);
    try {
      return { key, bytes: (await this.#run(key, () => this.#findFile(key))).size };
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== "missing") throw error;
      await this.#requireRoot();
      return null;
    }
  }

  async *list(folder: string): AsyncGenerator<StoredObject, void> {
    requireFolderPrefix(folder);
    await this.#requireRoot();
    if (await this.#run(folder, () => this.#isFolder(folder))) yield* this.#listFiles(join(this.#root, folder));
  }

  async delete(key: string): Promise<void> {
    requireObjectKey(key);
    const path = this.#pathOf(key);
    try {
      await this.#run(key, () => this.#findFile(key));
      await this.#run(key, () => unlink(path));
    } catch (error) {
      if (error instanceof StorageError && error.kind === "missing") return this.#requireRoot();
      throw error;
    }
    await this.#run(key, () => syncFolder(dirname(path)));
  }

  async deleteAbandonedWrites(before: Date): Promise<number> {
    await this.#requireRoot();
    const drafts = join(this.#root, DRAFTS);
    let deleted = 0;
    for (const name of (await this.#run(DRAFTS, () => unlessMissing(readdir(drafts)))) ?? []) {
      const draft = join(drafts, name);
      const found = await this.#run(DRAFTS, () => unlessMissing(lstat(draft)));
      if (found === null || found.mtime >= before) continue;
      // Another process may delete the same drafts. Only the one that deleted a draft counts it.
      const isDeleted = await this.#run(DRAFTS, () => unlessMissing(unlink(draft).then(() => true)));
      if (isDeleted === true) deleted += 1;
    }
    return deleted;
  }

  close(): void {}

  #pathOf(key: string): string {
    return join(this.#root, key);
  }

  /** Reports whether a folder exists, and is neither a link nor behind one. */
  async #isFolder(folder: string): Promise<boolean> {
    const [root, found] = [await realpath(this.#root), await unlessMissing(realpath(join(this.#root, folder)))];
    return found === join(root, folder, ".");
  }

  /** Returns the status of the file of an object. Throws if there is none. */
  async #findFile(key: string): Promise<Stats> {
    if (!(await this.#isFolder(dirname(key)))) throw missing();
    const found = await lstat(this.#pathOf(key));
    if (!found.isFile()) throw missing();
    return found;
  }

  /** Opens the file of an object. Does not wait for the writer of a pipe. */
  async #openFile(key: string): Promise<FileHandle> {
    if (!(await this.#isFolder(dirname(key)))) throw missing();
    return open(this.#pathOf(key), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  }

  async #requireRoot(): Promise<void> {
    await this.#run("", () => stat(this.#root)).catch((error: StorageError) => {
      if (error.kind !== "missing") throw error;
      throw new StorageError("unavailable", `the storage folder ${this.location} does not exist`);
    });
  }

  async #openDraft(draft: string): Promise<FileHandle> {
    await mkdir(dirname(draft), { mode: 0o750 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") {
        throw new StorageError("unavailable", `the storage folder ${this.location} does not exist`);
      }
      if (error.code !== "EEXIST") throw error;
    });
    return open(draft, "wx", 0o640);
  }

  /** Gives a synced file its name, unless another file has it. The name survives a power failure afterwards. */
  async #publish(draft: string, key: string): Promise<void> {
    const path = this.#pathOf(key);
    const folders = await this.#makeFolders(key);
    try {
      await link(draft, path);
    } catch (error) {
      if (!WITHOUT_LINKS.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      // Without hard links, two writers of one key could both succeed here. Keys of the callers are unique per writer.
      if (await unlessMissing(lstat(path))) throw Object.assign(new Error(), { code: "EEXIST" });
      await rename(draft, path);
    }
    // A folder is an entry in its parent, which must be durable, too. Its creator may be another writer that died.
    for (const folder of folders.reverse()) await syncFolder(folder);
  }

  /** Creates the folders above an object, and returns all of them, from the storage's folder down. */
  async #makeFolders(key: string): Promise<string[]> {
    const folders = [this.#root];
    for (const segment of key.split("/").slice(0, -1)) {
      const folder = join(folders.at(-1) ?? this.#root, segment);
      await mkdir(folder, { mode: 0o750 }).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error;
        if ((await lstat(folder)).isDirectory()) return;
        throw new StorageError("unavailable", `${relative(this.#root, folder)} in ${this.location} is not a folder`);
      });
      folders.push(folder);
    }
    return folders;
  }

  async *#listFiles(folder: string): AsyncGenerator<StoredObject, void> {
    const entries = await this.#run("", () => readdir(folder, { withFileTypes: true })).catch((error: StorageError) => {
      if (error.kind === "missing") return [];
      throw error;
    });
    // The order of whole keys, in which the slash after a folder's name is a character like any other.
    const names = entries
      .filter((entry) => isObjectKey(entry.name) && (entry.isDirectory() || entry.isFile()))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort((left, right) => (left < right ? -1 : 1));
    for (const name of names) {
      const path = join(folder, name);
      if (name.endsWith("/")) {
        yield* this.#listFiles(path);
        continue;
      }
      // A file that was deleted meanwhile is not listed.
      const found = await this.#run(name, () => unlessMissing(lstat(path)));
      if (found?.isFile() === true) yield { key: relative(this.#root, path), bytes: found.size };
    }
  }

  async #run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw storageErrorOf(error, key, this.location);
    }
  }
}

function missing(): NodeJS.ErrnoException {
  return Object.assign(new Error("there is no such file"), { code: "ENOENT" });
}

/** Returns null if the file does not exist. */
async function unlessMissing<Result>(work: Promise<Result>): Promise<Result | null> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    written += (await file.write(chunk, written, chunk.length - written)).bytesWritten;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
