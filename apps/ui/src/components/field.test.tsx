import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Field } from "./field.tsx";
import { MoneyInput, PasswordInput, TextInput } from "./inputs.tsx";

test("an input has its label, and is described by its hint", () => {
  render(
    <Field label="Name" hint="Shown in logs">
      <TextInput />
    </Field>,
  );
  const input = screen.getByRole("textbox", { name: "Name", description: "Shown in logs" });
  expect(input.getAttribute("aria-invalid")).toBeNull();
});

test("an error is shown and read with its input", () => {
  render(
    <Field label="Cap" hint="In dollars" error="Enter an amount">
      <MoneyInput />
    </Field>,
  );
  const input = screen.getByRole("textbox", { name: "Cap", description: "In dollars Enter an amount" });
  expect(input.getAttribute("aria-invalid")).toBe("true");
  screen.getByText("Enter an amount");
});

test("an amount is passed on exactly as typed", () => {
  const onValue = vi.fn();
  render(<MoneyInput aria-label="Cap" value="" onValue={onValue} />);
  fireEvent.change(screen.getByRole("textbox", { name: "Cap" }), { target: { value: "0.000000001" } });
  expect(onValue.mock.calls).toEqual([["0.000000001"]]);
});

test("a password is hidden until the user asks to see it", () => {
  render(<PasswordInput aria-label="Password" />);
  const input = screen.getByLabelText<HTMLInputElement>("Password");
  expect(input.type).toBe("password");
  fireEvent.click(screen.getByRole("button", { name: "Show password" }));
  expect(input.type).toBe("text");
  fireEvent.click(screen.getByRole("button", { name: "Hide password" }));
  expect(input.type).toBe("password");
});
