import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { ToolList } from "./tool-list.tsx";

test("shows what a function does and its parameters", () => {
  const properties = { id: { type: "string", description: "Order number" }, lines: { type: "boolean" } };
  const parameters = { type: "object", properties, required: ["id"] };
  const tool = { type: "function", function: { name: "find_order", description: "Finds an order.", parameters } };
  render(<ToolList tools={[tool, { type: "code_interpreter" }]} />);
  const items = screen.getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(items).toEqual([
    "find_orderFinds an order.id, string, required: Order numberlines, boolean, optional",
    "id, string, required: Order number",
    "lines, boolean, optional",
    "code_interpreter",
  ]);
});
