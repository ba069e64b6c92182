import type { Assistant } from "./assistant-objects.ts";

/**
 * Parses tools from JSON text. Empty text is an empty list. Returns an error message if the text isn't a list of tools.
 */
export function readTools(text: string): Assistant["tools"] | string {
  if (text.trim() === "") return [];
  try {
    const tools: unknown = JSON.parse(text);
    const list = Array.isArray(tools) ? tools : [tools];
    const isTools = list.every((tool) => typeof tool === "object" && tool !== null && typeof tool.type === "string");
    return isTools ? list : 'Each tool must be an object with a "type".';
  } catch {
    return "Invalid JSON.";
  }
}
