import type { Assistant } from "./assistant-objects.ts";
import { toolParameters } from "./tool-parameters.ts";

type Tool = Assistant["tools"][number];

/** An assistant's tools: each function with its description and its parameters. */
export function ToolList({ tools }: { readonly tools: readonly Tool[] }) {
  return (
    <ul aria-label="Tools" className="grid gap-3 text-table">
      {tools.map((tool, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names can repeat, and the list is only replaced as a whole
        <li key={index} className="grid gap-1">
          <span className="font-mono text-meta font-medium wrap-anywhere">{nameTool(tool)}</span>
          {typeof tool.function?.description === "string" && (
            <span className="wrap-anywhere">{tool.function.description}</span>
          )}
          <Parameters tool={tool} />
        </li>
      ))}
    </ul>
  );
}

function Parameters({ tool }: { readonly tool: Tool }) {
  const parameters = toolParameters(tool.function?.parameters);
  if (parameters.length === 0) return null;
  return (
    <ul className="grid gap-0.5 border-l border-border pl-3 text-meta text-muted">
      {parameters.map(({ name, type, isRequired, description }) => (
        <li key={name} className="wrap-anywhere">
          <span className="font-mono text-text">{name}</span>
          {[type, isRequired ? "required" : "optional"].filter((word) => word !== null).map((word) => `, ${word}`)}
          {description !== null && `: ${description}`}
        </li>
      ))}
    </ul>
  );
}

/** Returns the function's name, or the tool type. */
export function nameTool(tool: Tool): string {
  return typeof tool.function?.name === "string" ? tool.function.name : tool.type;
}
