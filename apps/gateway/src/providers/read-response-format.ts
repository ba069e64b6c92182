import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The format of a response, as translations to other APIs send it. */
type ResponseFormat =
  | { readonly kind: "text" }
  | { readonly kind: "json"; readonly schema: Fields | null; readonly description: string | null };

const TEXT: ResponseFormat = { kind: "text" };

/**
 * Reads the requested response format. The request schema accepts any object, because upstreams with the same API have
 * formats of their own. Other upstreams support only the formats that can be translated.
 */
export function readResponseFormat(format: ChatRequest["response_format"]): ResponseFormat {
  if (format == null || format.type === "text") return TEXT;
  if (format.type === "json_object") return { kind: "json", schema: null, description: null };
  if (format.type !== "json_schema") {
    throw new Failure(
      "unsupported_parameter",
      "This model supports only the response formats 'text', 'json_object', and 'json_schema'.",
      { param: "response_format.type" },
    );
  }
  const { schema = null, description } = (format.json_schema ?? {}) as Fields;
  if (typeof schema !== "object" || Array.isArray(schema)) {
    throw new Failure("invalid_request", "The schema of a response format must be an object.", {
      param: "response_format.json_schema.schema",
    });
  }
  return {
    kind: "json",
    schema: schema as Fields | null,
    description: typeof description === "string" ? description : null,
  };
}
