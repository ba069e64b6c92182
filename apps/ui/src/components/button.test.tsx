import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Button, IconButton } from "./button.tsx";

/** Renders a form whose only button has these properties. Returns its submit handler. */
function renderForm(props: Parameters<typeof Button>[0]) {
  const onSubmit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault());
  render(
    <form onSubmit={onSubmit}>
      <Button type="submit" {...props}>
        Save
      </Button>
    </form>,
  );
  return onSubmit;
}

test("a button submits its form", () => {
  const onSubmit = renderForm({});
  fireEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(onSubmit).toHaveBeenCalledTimes(1);
});

test("while it is busy, a button neither submits its form again nor calls its handler", () => {
  const onClick = vi.fn();
  const onSubmit = renderForm({ busy: true, onClick });
  const button = screen.getByRole("button", { name: "Save", busy: true });
  fireEvent.click(button);
  expect(onSubmit).not.toHaveBeenCalled();
  expect(onClick).not.toHaveBeenCalled();
  expect(button.getAttribute("aria-disabled")).toBe("true");
});

test("a disabled button says why, stays focusable, and does not submit", () => {
  const onSubmit = renderForm({ disabledReason: "Enter a name" });
  const button = screen.getByRole<HTMLButtonElement>("button", { name: /^Save ?\. Enter a name$/ });
  fireEvent.click(button);
  expect(onSubmit).not.toHaveBeenCalled();
  expect([button.disabled, button.getAttribute("aria-disabled")]).toEqual([false, "true"]);
});

test("a reason that is shown is visible and describes the button", () => {
  renderForm({ disabledReason: "Select two runs", isReasonShown: true });
  const button = screen.getByRole("button", { name: "Save" });
  expect(button.getAttribute("aria-describedby")).toBe(screen.getByText("Select two runs").id);
});

test("a disabled icon says why and ignores clicks", () => {
  const onClick = vi.fn();
  render(<IconButton label="Next" icon="→" onClick={onClick} disabledReason="No next item" />);
  fireEvent.click(screen.getByRole("button", { name: "Next. No next item" }));
  expect(onClick).not.toHaveBeenCalled();
});
