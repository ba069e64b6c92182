import { randomUUID } from "node:crypto";
import { access, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { moveDurably, writeDurably } from "@tollgate/participant/wire/durable-file.ts";
import { storeFile } from "@tollgate/participant/wire/file-bytes.ts";
import type { StoredBytes } from "@tollgate/participant/wire/stored-bytes.ts";

const BLOBS = "blobs";

/** Stores parameters by hash in `blobs/<sha256>`. A blob is either complete and durable or absent. */
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

  /** Returns a path for a file being written. `collect` removes abandoned files. */
  temporaryPath(): string {
    return join(this.#folder, `${randomUUID()}.tmp`);
  }

  /** Resolves once the bytes are durable. The store then owns the bytes. */
  async add(bytes: StoredBytes): Promise<string> {
    const { sha256 } = bytes;
    if (await this.has(sha256)) await bytes.dispose();
    else await bytes.moveTo(this.path(sha256));
    return sha256;
  }

  /** Moves a finished file from `temporaryPath()` into the store. */
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

  /** Reports whether the blob exists and matches its hash. Removes a damaged blob. */
  async verify(sha256: string): Promise<boolean> {
    if (!(await this.has(sha256))) return false;
    const isIntact = (await storeFile(this.path(sha256))).sha256 === sha256;
    if (!isIntact) await rm(this.path(sha256));
    return isIntact;
  }

  /** Removes all blobs not in `needed`. */
  async collect(needed: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder);
    await Promise.all(
      names.filter((name) => !needed.has(name)).map((name) => rm(join(this.#folder, name), { force: true })),
    );
  }
}

/** Replaces a small JSON file atomically: readers see the old or the new text. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  const text = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  await writeDurably(
    path,
    (async function* () {
      yield text;
    })(),
  );
}
