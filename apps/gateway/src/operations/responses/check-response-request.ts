import { Failure } from "@tollgate/contracts/failures.ts";
import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import { flatTools } from "./tool-names.ts";

/** Tools that the client runs itself. The provider charges separately for running other tools. */
const runByClient = new Set(["function", "custom", "local_shell", "apply_patch"]);

/**
 * Checks Responses request rules that a schema can't express. Strings are bytes here, so compare them but never display
 * them.
 */
export function checkResponseRequest(request: ResponseRequest): void {
  if (request.background === true) {
    throw unsupported("background", "Background responses are not supported.", "Remove 'background'.");
  }
  if (request.conversation != null) {
    throw unsupported(
      "conversation",
      "Conversations are not supported.",
      "To continue a response, send 'previous_response_id'.",
    );
  }
  if (request.prompt != null) {
    throw unsupported("prompt", "Prompt templates are not supported.", "Send 'instructions' and 'input' instead.");
  }
  if (request.stream_options != null && request.stream !== true) {
    throw new Failure("invalid_request", "'stream_options' requires 'stream: true'.", { param: "stream_options" });
  }
  checkNames(request.tools ?? [], "tools");
  if (typeof request.input !== "string") checkItems(request.input);
}

type Tool = Readonly<Record<string, unknown>>;

/** Checks that client-side tools have a name. Whether the provider can run the others depends on the deployment. */
function checkNames(tools: readonly Tool[], at: string): void {
  for (const [index, tool] of tools.entries()) {
    for (const { tool: inner, namespace } of flatTools([tool])) {
      // A namespace contains only client-side tools.
      if (namespace === null) checkName(inner, `${at}.${index}`);
      else checkTool(inner, `${at}.${index}`);
    }
  }
}

/**
 * Rejects tools that the provider runs and that an item defines. The provider charges for them separately, and only the
 * tools of the request itself are part of the hold.
 */
function checkTools(tools: readonly Tool[], at: string): void {
  for (const [index, tool] of tools.entries()) {
    for (const { tool: inner } of flatTools([tool])) checkTool(inner, `${at}.${index}`);
  }
}

/**
 * Checks tools inside items, and rejects IDs of files and items, because they refer to data in the operator's own account
 * at the provider, which the hold does not include. The gateway has replaced item references in the usual form.
 */
function checkItems(items: readonly Tool[]): void {
  for (const [index, { type, role, content, output, tools }] of items.entries()) {
    const at = `input.${index}`;
    if (type === "item_reference" || (type == null && role == null)) {
      throw new Failure("invalid_request", "The item has no content.", {
        param: at,
        fix: 'Send its \'type\' and its content, or {"type": "item_reference", "id": …} without escape sequences.',
      });
    }
    if (Array.isArray(tools)) checkTools(tools as readonly Tool[], `${at}.tools`);
    for (const parts of [content, output]) {
      if (!Array.isArray(parts)) continue;
      if ((parts as readonly (Tool | null)[]).every((part) => part?.file_id == null)) continue;
      throw new Failure("invalid_request", "File IDs are not supported.", {
        param: at,
        fix: "Send the file itself in 'file_data' or 'image_url'.",
      });
    }
  }
}

function checkTool(tool: Tool, at: string): void {
  if (!runByClient.has(String(tool.type))) {
    throw new Failure(
      "unsupported_tool",
      "The provider bills tools of this type separately, and no price is configured for them.",
      {
        param: `${at}.type`,
        fix: "Send only client-side tools: 'function' and 'custom'. In Codex, set web_search = \"disabled\".",
      },
    );
  }
  checkName(tool, at);
}

function checkName({ type, name }: Tool, at: string): void {
  if ((type === "function" || type === "custom") && (typeof name !== "string" || name === "")) {
    throw new Failure("invalid_request", "Client-side tools require a name.", { param: `${at}.name` });
  }
}

function unsupported(param: string, message: string, fix: string): Failure {
  return new Failure("unsupported_parameter", message, { param, fix });
}
