import type { Identity, Target } from "./journaled-call.ts";

const NULL_LENGTH = 0xffff;
const LENGTH_BYTES = 2;

/** Maximum length of a string in a block, in bytes; all known names are far shorter. */
const MAX_TEXT_BYTES = 1_024;

/** Encodes the identity part of a record, once per key, to be copied into each record. */
export function encodeIdentity({ organizationId, teamId, keyId, userId }: Identity): Buffer {
  return encodeTexts([organizationId, teamId, keyId, userId]);
}

/** Encodes the target part of a record, once per deployment and endpoint. */
export function encodeTarget({ endpoint, modelGroup, deploymentId, provider, priceVersionId }: Target): Buffer {
  return encodeTexts([endpoint, modelGroup, deploymentId, provider, priceVersionId]);
}

/** Decodes the output of `encodeIdentity`. Equal bytes give the same object. */
export function decodeIdentity(block: Buffer): Identity {
  return identities.read(block, ([organizationId, teamId, keyId, userId]) => ({
    organizationId: organizationId ?? null,
    teamId: teamId ?? null,
    keyId: keyId ?? "",
    userId: userId ?? null,
  }));
}

/** Decodes the output of `encodeTarget`. Equal bytes give the same object. */
export function decodeTarget(block: Buffer): Target {
  return targets.read(block, ([endpoint, modelGroup, deploymentId, provider, priceVersionId]) => ({
    endpoint: endpoint ?? "",
    modelGroup: modelGroup ?? "",
    deploymentId: deploymentId ?? "",
    provider: provider ?? "",
    priceVersionId: priceVersionId ?? null,
  }));
}

const MAX_REMEMBERED = 10_000;

/**
 * Cache of decoded blocks. The same few blocks recur in every record of a journal, and each has nine strings that are
 * expensive to decode.
 */
class ReadBlocks<Block> {
  readonly #known = new Map<string, Block>();

  read(bytes: Buffer, make: (texts: readonly (string | null)[]) => Block): Block {
    const key = bytes.toString("latin1");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = make(decodeTexts(bytes));
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(key, made);
    return made;
  }
}

const identities = new ReadBlocks<Identity>();
const targets = new ReadBlocks<Target>();

function encodeTexts(texts: readonly (string | null)[]): Buffer {
  const parts: Buffer[] = [];
  for (const text of texts) {
    const length = Buffer.alloc(LENGTH_BYTES);
    const bytes = Buffer.from(text ?? "");
    if (bytes.length > MAX_TEXT_BYTES) throw new Error(`A text of ${bytes.length} bytes does not fit in a record.`);
    length.writeUInt16LE(text === null ? NULL_LENGTH : bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}

function decodeTexts(block: Buffer): (string | null)[] {
  const texts: (string | null)[] = [];
  let offset = 0;
  while (offset < block.length) {
    const length = block.readUInt16LE(offset);
    offset += LENGTH_BYTES;
    if (length === NULL_LENGTH) {
      texts.push(null);
      continue;
    }
    texts.push(block.toString("utf8", offset, offset + length));
    offset += length;
  }
  return texts;
}
