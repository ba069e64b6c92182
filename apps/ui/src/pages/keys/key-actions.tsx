import { useState } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { copyText } from "../../components/copy-text.ts";
import { Dialog } from "../../components/dialog.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { Menu, type MenuItem } from "../../components/menu.tsx";
import { Notice } from "../../components/notice.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { useToast } from "../../components/toast.tsx";
import { formatRelative } from "../../format/time.ts";
import { type ApiKey, wasUsedWithin } from "./api-key.ts";
import { type NewSecret, takeSecret } from "./new-secret.ts";

/** Operations to refetch after a key changes. */
export const touchedByKeys = ["listApiKeys", "getApiKey", "listTeams", "listAuditLog"] as const;

interface KeyActionsProps {
  readonly apiKey: ApiKey;
  /** Called with a rotated key's secret, which is shown once. */
  readonly onSecret: (made: NewSecret) => void;
  readonly onDeleted?: () => void;
  /** True if the menu offers renaming; false if the page has a name field. */
  readonly hasRename?: boolean;
}

/** Actions for one key. */
export function KeyActions(props: KeyActionsProps) {
  const { apiKey } = props;
  const [open, setOpen] = useState<"rename" | "rotate" | "delete" | null>(null);
  const toast = useToast();
  const update = useChange("updateApiKey", {
    invalidates: touchedByKeys,
    done: ({ apiKey: { name, status } }) => `Key ${name} ${status === "disabled" ? "blocked" : "unblocked"}`,
  });
  const isDeleted = apiKey.status === "revoked";
  const gone = isDeleted ? "This key has been deleted" : null;
  const isBlocked = apiKey.status === "disabled";
  const items: readonly MenuItem[] = [
    {
      label: "Copy ID",
      onSelect: () =>
        void copyText(apiKey.id).then(
          () => toast.done("Key ID copied"),
          (error: unknown) => toast.failed(error, "Copying"),
        ),
    },
    ...(props.hasRename === false
      ? []
      : [{ label: "Rename", onSelect: () => setOpen("rename"), disabledReason: gone } satisfies MenuItem]),
    { label: "Rotate secret", onSelect: () => setOpen("rotate"), disabledReason: gone },
    {
      label: isBlocked ? "Unblock" : "Block",
      onSelect: () => update.mutate({ body: { token: apiKey.id, disabled: !isBlocked } }),
      disabledReason: gone,
    },
    { label: "Delete", onSelect: () => setOpen("delete"), danger: true, disabledReason: gone },
  ];
  const close = () => setOpen(null);
  return (
    <>
      <Menu label={`Actions for ${apiKey.name}`} items={items} />
      {open === "rename" && <RenameDialog apiKey={apiKey} onClose={close} />}
      {open === "rotate" && <RotateDialog apiKey={apiKey} onClose={close} onSecret={props.onSecret} />}
      {open === "delete" && <DeleteDialog apiKey={apiKey} onClose={close} onDeleted={props.onDeleted} />}
    </>
  );
}

interface DialogProps {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

function RenameDialog({ apiKey, onClose }: DialogProps) {
  const [name, setName] = useState(apiKey.name);
  const rename = useChange("updateApiKey", {
    invalidates: touchedByKeys,
    done: (answer) => `Key renamed to ${answer.apiKey.name}`,
    isQuiet: true,
    onDone: onClose,
  });
  return (
    <Dialog title={`Rename key ${apiKey.name}`} open onClose={onClose} width={460}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ body: { token: apiKey.id, name: name.trim() } });
        }}
      >
        {rename.error !== null && (
          <Notice tone="danger">
            <ErrorText error={rename.error} />
          </Notice>
        )}
        <Field label="Name" hint="Existing logs and bills also show the new name.">
          <TextInput value={name} onChange={(event) => setName(event.currentTarget.value)} maxLength={100} autoFocus />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant="primary"
            busy={rename.isPending}
            disabledReason={name.trim() === "" ? "Enter a name" : null}
          >
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const graces = [
  { value: "0", label: "Immediately" },
  { value: "3600", label: "1 hour" },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days" },
] as const;

function RotateDialog({ apiKey, onClose, onSecret }: DialogProps & Pick<KeyActionsProps, "onSecret">) {
  const [grace, setGrace] = useState<string>("86400");
  const rotate = useChange("rotateApiKey", {
    invalidates: touchedByKeys,
    isQuiet: true,
    onDone: (answer) => {
      onClose();
      onSecret(takeSecret(answer.apiKey, true));
    },
  });
  return (
    <Dialog
      title={`Rotate secret for ${apiKey.name}`}
      note="The key's name, limits, and history don't change. The new secret is shown once."
      open
      onClose={onClose}
      width={460}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={rotate.isPending}
            onClick={() => rotate.mutate({ body: { apiKey: apiKey.id, graceSeconds: Number(grace) } })}
          >
            Rotate secret
          </Button>
        </>
      }
    >
      {rotate.error !== null && (
        <Notice tone="danger">
          <ErrorText error={rotate.error} />
        </Notice>
      )}
      <div className="grid gap-1.5">
        <span className="text-table font-medium">Old secret expires</span>
        <Segmented label="Old secret expires" value={grace} options={graces} onValue={setGrace} />
        <p className="text-meta text-muted">
          {grace === "0"
            ? "Requests with the old secret are refused immediately."
            : "Both secrets work until the old secret expires, so you can switch without downtime."}
        </p>
      </div>
    </Dialog>
  );
}

function DeleteDialog({ apiKey, onClose, onDeleted }: DialogProps & { onDeleted: (() => void) | undefined }) {
  const remove = useChange("removeApiKey", {
    invalidates: touchedByKeys,
    done: `Key ${apiKey.name} deleted`,
    onDone: () => {
      onClose();
      onDeleted?.();
    },
  });
  const isInUse = wasUsedWithin(apiKey, RECENT_DAYS, new Date());
  return (
    <ConfirmDialog
      open
      title={`Delete key ${apiKey.name}`}
      consequence={
        <>
          Requests with this key fail permanently. Its logs and costs remain available.{" "}
          {isInUse && apiKey.lastUsedAt !== null && (
            <strong className="font-semibold">It was last used {formatRelative(apiKey.lastUsedAt)}.</strong>
          )}
        </>
      }
      confirmLabel="Delete key"
      typeToConfirm={isInUse ? apiKey.name : null}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ body: { apiKey: apiKey.id } })}
      onClose={onClose}
    />
  );
}

/** Deleting a key used within this many days requires typing its name. */
export const RECENT_DAYS = 7;
