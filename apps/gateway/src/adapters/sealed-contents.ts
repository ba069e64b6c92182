import type { CallContent as SealedContent } from "@tollgate/db/usage/write-calls.ts";
import type { SecretBox } from "@tollgate/runtime/secret-box.ts";
import { type CallContent, type ContentLog, MAX_CONTENT_BYTES } from "../pipeline/answer/content-log.ts";
import { BatchedWriter } from "./batched-writer.ts";

/** What contents are sealed for: nothing else opens them. */
const PURPOSE = "call content";
/** Contents are large, so fewer of them wait. */
const MAX_KEPT = 200;

/** Contents of calls, sealed before they leave this process and written by the second. */
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

  /** Those that are not written yet. */
  get waiting(): number {
    return this.#writer.waiting;
  }

  keep({ id, organizationId, request, answer }: CallContent): void {
    // Sealing is the dear part, and what finds no place would be sealed for nothing.
    if (this.#writer.isFull) return;
    this.#writer.add({
      id,
      organizationId,
      request: this.#seal(request),
      answer: this.#seal(answer),
      isCut: request.length > MAX_CONTENT_BYTES || answer.length > MAX_CONTENT_BYTES,
    });
  }

  /** Writes what was kept so far. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #seal(bytes: string): string {
    return this.#secrets.seal(Buffer.from(bytes.slice(0, MAX_CONTENT_BYTES), "latin1").toString("utf8"), PURPOSE);
  }
}
