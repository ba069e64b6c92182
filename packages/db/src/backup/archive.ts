import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/** A file inside an archive. */
interface ArchiveEntry {
  readonly name: string;
  readonly body: Buffer;
}

/** Thrown if the file is not a Tollgate backup, or is incomplete or damaged. */
export class BackupIsDamaged extends Error {
  constructor(reason: string) {
    super(`The backup cannot be used: ${reason}`);
    this.name = "BackupIsDamaged";
  }
}

const BLOCK = 512;
const NAME_LENGTH = 100;
/** Maximum size of a piece. No valid piece is larger, so a larger one is damaged. */
const LARGEST_BODY = 1024 * 1024 * 1024;

/**
 * Writes a tar file, so that a backup can be inspected and recovered with standard tools. Only the file's owner can
 * read it, and the file gets its final name only after it is complete and synced to disk.
 */
export class ArchiveWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  bytes = 0;

  static async create(path: string): Promise<ArchiveWriter> {
    return new ArchiveWriter(path, await open(`${path}.partial`, "wx", 0o600));
  }

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  async add({ name, body }: ArchiveEntry): Promise<void> {
    await this.#write(writeHeader(name, body.length));
    await this.#write(body);
    await this.#write(Buffer.alloc(paddingOf(body.length)));
  }

  async finish(): Promise<void> {
    await this.#write(Buffer.alloc(2 * BLOCK));
    await this.#file.sync();
    await this.#file.close();
    await rename(`${this.#path}.partial`, this.#path);
    const folder = await open(dirname(this.#path), "r");
    await folder.sync();
    await folder.close();
  }

  /** Deletes the partial file. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(`${this.#path}.partial`, { force: true });
  }

  async #write(bytes: Buffer): Promise<void> {
    await this.#file.writeFile(bytes);
    this.bytes += bytes.length;
  }
}

/** Yields the files of an archive in order, with one file in memory at a time. */
export async function* readArchive(path: string): AsyncGenerator<ArchiveEntry> {
  const input = createReadStream(path, { highWaterMark: 1024 * 1024 });
  let held: Buffer = Buffer.alloc(0);
  const chunks = input[Symbol.asyncIterator]();
  const take = async (length: number): Promise<Buffer> => {
    const parts = [held];
    for (let have = held.length; have < length; ) {
      const { value, done } = await chunks.next();
      if (done === true) throw new BackupIsDamaged("it is truncated");
      parts.push(value as Buffer);
      have += (value as Buffer).length;
    }
    const all = parts.length === 1 ? held : Buffer.concat(parts);
    held = all.subarray(length);
    return all.subarray(0, length);
  };
  try {
    for (;;) {
      const header = await take(BLOCK);
      if (header.every((byte) => byte === 0)) return;
      const { name, length } = readHeader(header);
      const body = await take(length);
      await take(paddingOf(length));
      yield { name, body };
    }
  } finally {
    input.destroy();
  }
}

const paddingOf = (length: number): number => (BLOCK - (length % BLOCK)) % BLOCK;

function writeHeader(name: string, length: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > NAME_LENGTH) throw new Error(`${name} is too long for an archive entry name`);
  header.write(name, 0);
  header.write("0000600\0", 100); // mode
  header.write("0000000\0", 108); // user
  header.write("0000000\0", 116); // group
  header.write(`${length.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136); // time
  header.write("0", 156); // regular file
  header.write("ustar\x0000", 257);
  header.write(`${sumOf(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function readHeader(header: Buffer): { name: string; length: number } {
  if (header.toString("latin1", 257, 262) !== "ustar") throw new BackupIsDamaged("it is not a Tollgate backup");
  if (Number.parseInt(header.toString("latin1", 148, 154), 8) !== sumOf(header)) {
    throw new BackupIsDamaged("one of its headers is damaged");
  }
  const length = Number.parseInt(header.toString("latin1", 124, 135), 8);
  if (!(length >= 0 && length <= LARGEST_BODY)) throw new BackupIsDamaged("one of its files has an invalid length");
  return { name: header.toString("utf8", 0, header.indexOf(0)), length };
}

/** Returns the tar checksum: the sum of all header bytes, with the checksum field read as spaces. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}
