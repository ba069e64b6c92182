import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { buttonClass } from "./button-styles.ts";

/** Closes the layer it is on. Without a tooltip: escape would close that first, and the layer only at the second press. */
export function CloseCross() {
  return (
    <Dialog.Close aria-label="Close" className={buttonClass("ghost", "md", true)}>
      <X size={16} strokeWidth={1.5} aria-hidden />
    </Dialog.Close>
  );
}
