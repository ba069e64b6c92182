import type { ToolField } from "@tollgate/contracts/assistants/assistant-fields.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { JsonFields, Tool } from "@tollgate/domain/assistants/records.ts";

/**
 * Returns tools in their stored form. Rejects all types except functions, which the client runs, because the server has
 * no sandbox.
 */
export function readTools(tools: readonly ToolField[]): readonly Tool[] {
  return tools.map((tool, index) => {
    if (tool.type !== "function") throw unsupported(tool.type, `tools.${index}`);
    const { name, description, parameters, strict } = tool.function;
    return {
      type: "function",
      function: {
        name,
        ...(description != null && { description }),
        ...(parameters !== undefined && { parameters: parameters as JsonFields | null }),
        ...(strict !== undefined && { strict }),
      },
    };
  });
}

function unsupported(type: string, param: string): Failure {
  return new Failure("unsupported_tool", `Tool type '${type}' is not supported. Use tools of type 'function'.`, {
    param,
    fix: "Define the tool as a function and return its results with submit_tool_outputs.",
  });
}
