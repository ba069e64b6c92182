import type { CallContent as SealedContent } from "@tollgate/db/usage/write-calls.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import { type CallContent, type ContentLog, MAX_CONTENT_BYTES } from "../pipeline/answer/content-log.ts";
import { BatchedWriter } from "./batched-writer.ts";

/** Encryption purpose of call content, so that a ciphertext can't be used for another purpose. */
const PURPOSE = "call content";
/** Maximum number of calls whose content is pending. The content of a call can be large. */
const MAX_KEPT = 200;

/** Stores the content of calls. The content is encrypted before it leaves this process and is written every second. */
export class SealedContents implements ContentLog {
  readonly #writer: BatchedWriter<SealedContent>;
  readonly #secrets: SecretBox;

  constructor(
    secrets: SecretBox,
    write: (contents: readonly SealedContent[]) => Promise<void>,
    onLost: (rows: number, error: unknown) => void,
  ) {
    this.#secrets = secrets;
    this.#writer = new BatchedWriter(write, onLost, MAX_KEPT);
  }

  /** Number of calls whose content has not been written yet. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  keep({ id, organizationId, request, answer }: CallContent): void {
    // Encryption is expensive, so it is skipped if the content would be dropped.
    if (this.#writer.isFull) return;
    this.#writer.add({
      id,
      organizationId,
      request: this.#seal(request),
      answer: this.#seal(answer),
      isCut: request.length > MAX_CONTENT_BYTES || answer.length > MAX_CONTENT_BYTES,
    });
  }

  /** Writes all pending content. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #seal(bytes: string): string {
    return this.#secrets.seal(Buffer.from(bytes.slice(0, MAX_CONTENT_BYTES), "latin1").toString("utf8"), PURPOSE);
  }
}
