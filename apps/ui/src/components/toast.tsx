import { Toast } from "@base-ui/react/toast";
import { CircleCheck, TriangleAlert, X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { FOCUS, POPUP } from "./control-styles.ts";
import { describeError } from "./describe-error.ts";
import { ErrorText } from "./error-text.tsx";

const manager = Toast.createToastManager();

const toasts = {
  /** Confirms an action for a few seconds, with an undo button if possible. */
  done(text: string, undo?: () => void): void {
    const undoAndClose = () => {
      undo?.();
      manager.close(id);
    };
    const id = manager.add({
      title: text,
      type: "done",
      timeout: undo ? 10_000 : 5_000,
      ...(undo ? { actionProps: { children: "Undo", onClick: undoAndClose } } : {}),
    });
  },
  /** Reports a failure with its fix and its request ID. Stays until dismissed. */
  failed(error: unknown, what = "The request"): void {
    const { requestId } = describeError(error);
    manager.add({
      title: (
        <>
          {what} failed. <ErrorText error={error} />
        </>
      ),
      description: requestId ? `Request ID: ${requestId}` : undefined,
      type: "failed",
      timeout: 0,
      priority: "high",
    });
  },
};

/** Returns the toast functions. They also work outside of components. */
export function useToast(): typeof toasts {
  return toasts;
}

/** Renders toasts. Mounted once, around the whole app. */
export function ToastProvider(props: { readonly children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      {props.children}
      <Toast.Portal>
        <Toast.Viewport
          className={classes(
            "fixed z-50 right-4 bottom-4 max-sm:bottom-[76px] w-[380px] max-w-[calc(100vw-32px)]",
            "flex flex-col gap-2 print:hidden",
          )}
        >
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  return Toast.useToastManager().toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} swipeDirection="right" className={classes(POPUP, "data-[limited]:hidden")}>
      <Toast.Content className="flex items-start gap-[10px] pl-3 pr-1 py-1">
        {toast.type === "failed" ? (
          <TriangleAlert size={16} strokeWidth={1.5} className="mt-2 flex-none text-danger" aria-hidden />
        ) : (
          <CircleCheck size={16} strokeWidth={1.5} className="mt-2 flex-none text-success" aria-hidden />
        )}
        <div className="min-w-0 grow py-[6px] wrap-anywhere">
          <Toast.Title className="text-table font-normal" render={<p />} />
          <Toast.Description className="text-meta text-muted font-mono" />
        </div>
        <Toast.Action className={classes("h-8 px-2 text-table font-medium text-accent rounded-control", FOCUS)} />
        <Toast.Close render={<IconButton label="Dismiss" icon={<X size={16} strokeWidth={1.5} />} />} />
      </Toast.Content>
    </Toast.Root>
  ));
}
