import { Failure, missingBody } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { clientDisconnected } from "../call/client-disconnected.ts";
import { tooLarge } from "../call/exchange.ts";
import { hasNoBody, type RequestHeaders } from "../call/request-headers.ts";
import { isJsonType } from "../pipeline/read-call.ts";
import type { DirectBody } from "./direct-http.ts";
import { createBodyReader } from "./json-body.ts";

/** Reads the body of an authenticated request. */
export type ApiBodyReader = (request: DirectBody, headers: RequestHeaders) => Promise<unknown>;

/** Creates the body reader for an operation. An operation without a body gets an empty object. */
export function createApiBodyReader(operation: OperationDescription): ApiBodyReader {
  const { body: schema, bodyLimitBytes, isBodyOptional = false } = operation;
  if (schema === undefined) return async () => ({});
  const read = createBodyReader(schema);
  return async (request, headers) => {
    if (hasNoBody(headers)) {
      if (isBodyOptional) return {};
      throw missingBody();
    }
    if (!isJsonType(headers.contentType)) {
      throw new Failure("unsupported_media_type", "Send the body as application/json.");
    }
    const bytes = await readBytes(request, headers, bodyLimitBytes);
    return isBodyOptional && bytes.length === 0 ? {} : read(bytes);
  };
}

function readBytes(request: DirectBody, headers: RequestHeaders, limitBytes: number): Promise<Buffer> {
  if (headers.contentLength !== null && Number(headers.contentLength) > limitBytes) throw tooLarge(limitBytes);
  if (headers.expect !== null) request.response?.writeContinue();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let received = 0;
  const take = (chunk: Buffer) => {
    received += chunk.length;
    chunks.push(chunk);
    if (received <= limitBytes) return;
    chunks.length = 0;
    // The rest of the body is discarded after the response, and the connection closes.
    request.off("data", take).pause();
    reject(tooLarge(limitBytes));
  };
  request.on("data", take);
  request.once("end", () => resolve(Buffer.concat(chunks, received)));
  request.once("close", () => reject(clientDisconnected()));
  return promise;
}
