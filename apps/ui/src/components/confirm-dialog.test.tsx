import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { ConfirmDialog } from "./confirm-dialog.tsx";

function renderDialog(props: Partial<Parameters<typeof ConfirmDialog>[0]> = {}) {
  const [onConfirm, onClose] = [vi.fn(), vi.fn()];
  render(
    <ConfirmDialog
      title="Delete team ops"
      consequence="3 keys stop working."
      confirmLabel="Delete"
      open
      onConfirm={onConfirm}
      onClose={onClose}
      {...props}
    />,
  );
  return { onConfirm, onClose };
}

const submit = () => fireEvent.click(screen.getByRole("button", { name: /^Delete/ }));
const type = (value: string) => fireEvent.change(screen.getByRole("textbox"), { target: { value } });

test("names the consequence and confirms once", () => {
  const { onConfirm } = renderDialog();
  screen.getByText("3 keys stop working.");
  submit();
  expect(onConfirm).toHaveBeenCalledTimes(1);
});

test("Cancel closes the dialog without confirming", () => {
  const { onConfirm, onClose } = renderDialog();
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect([onConfirm.mock.calls.length, onClose.mock.calls.length]).toEqual([0, 1]);
});

test("a high-impact action needs the exact text, also if the form is submitted with Enter", () => {
  const { onConfirm } = renderDialog({ typeToConfirm: "ops" });
  submit();
  type("opp");
  submit();
  fireEvent.submit(screen.getByRole("textbox"));
  expect(onConfirm).not.toHaveBeenCalled();
  type(" ops ");
  submit();
  expect(onConfirm).toHaveBeenCalledTimes(1);
});

test("while the action runs, it cannot be confirmed again", () => {
  const { onConfirm } = renderDialog({ busy: true });
  submit();
  expect(onConfirm).not.toHaveBeenCalled();
});
