import { randomUUID } from "node:crypto";
import { access, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { moveDurably, writeDurably } from "@tollgate/sdk/training/wire/durable-file.ts";
import { storeFile } from "@tollgate/sdk/training/wire/file-bytes.ts";
import type { StoredBytes } from "@tollgate/sdk/training/wire/stored-bytes.ts";

const BLOBS = "blobs";

/** Parameters by the hash of their bytes: `blobs/<sha256>`, whole and durable or not there. */
export class BlobStore {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(dir: string): Promise<BlobStore> {
    const folder = join(dir, BLOBS);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new BlobStore(folder);
  }

  path(sha256: string): string {
    return join(this.#folder, sha256);
  }

  /** A name for a file that is still being written; forgotten ones are removed by `collect`. */
  temporaryPath(): string {
    return join(this.#folder, `${randomUUID()}.tmp`);
  }

  /** Resolves once the bytes are durable. They are the store's own from then on. */
  async add(bytes: StoredBytes): Promise<string> {
    const { sha256 } = bytes;
    if (await this.has(sha256)) await bytes.dispose();
    else await bytes.moveTo(this.path(sha256));
    return sha256;
  }

  /** Takes over a finished file at `temporaryPath()`. */
  async addFile(path: string): Promise<StoredBytes> {
    const { sha256 } = await storeFile(path);
    if (await this.has(sha256)) await rm(path);
    else await moveDurably(path, this.path(sha256));
    return this.read(sha256);
  }

  async read(sha256: string): Promise<StoredBytes> {
    return storeFile(this.path(sha256), sha256);
  }

  async has(sha256: string): Promise<boolean> {
    return access(this.path(sha256)).then(
      () => true,
      () => false,
    );
  }

  /** Whether the blob is there and still has the bytes of its name. One that has not is removed. */
  async verify(sha256: string): Promise<boolean> {
    if (!(await this.has(sha256))) return false;
    const isIntact = (await storeFile(this.path(sha256))).sha256 === sha256;
    if (!isIntact) await rm(this.path(sha256));
    return isIntact;
  }

  /** Removes everything that `needed` does not name. */
  async collect(needed: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder);
    await Promise.all(
      names.filter((name) => !needed.has(name)).map((name) => rm(join(this.#folder, name), { force: true })),
    );
  }
}

/** Replaces a small JSON file whole: readers see the old text or the new one. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  const text = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  await writeDurably(
    path,
    (async function* () {
      yield text;
    })(),
  );
}
