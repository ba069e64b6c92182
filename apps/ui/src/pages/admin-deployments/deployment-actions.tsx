import { useState } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Menu } from "../../components/menu.tsx";
import type { Deployment } from "./filter-deployments.ts";

interface DeploymentActionsProps {
  readonly deployment: Deployment;
  readonly onOpen: () => void;
  readonly onEdit: () => void;
  readonly onCopy: () => void;
}

/** Actions for a deployment. A deployment from a file can be copied, and a deployment in the database can be edited. */
export function DeploymentActions({ deployment, onOpen, onEdit, onCopy }: DeploymentActionsProps) {
  const [isStopping, setStopping] = useState(false);
  const { group, editable, modelId, priced, source, status } = deployment;
  const touched = { invalidates: ["listDeployments", "getRouting", "listHubModels"] } as const;
  const offer = useChange("updateModel", { ...touched, done: `${group} enabled` });
  const stop = useChange("deleteModel", {
    ...touched,
    done: `${group} disabled`,
    onDone: () => setStopping(false),
  });
  if (!editable || modelId === null) {
    return source.kind === "file" && !group.includes("*") ? (
      <Button size="sm" variant="ghost" onClick={onCopy}>
        Copy to database
      </Button>
    ) : null;
  }
  if (!priced && status !== "disabled") {
    return (
      <Button size="sm" onClick={onEdit}>
        Set price
      </Button>
    );
  }
  return (
    <>
      <Menu
        label={`Actions for ${group}`}
        items={[
          { label: "Edit", onSelect: onEdit },
          { label: "Test", onSelect: onOpen },
          status === "disabled"
            ? {
                label: "Enable",
                onSelect: () => offer.mutate({ params: { id: modelId }, body: { status: "active" } }),
              }
            : { label: "Disable", danger: true, onSelect: () => setStopping(true) },
        ]}
      />
      <ConfirmDialog
        open={isStopping}
        title={`Disable ${group}?`}
        consequence={`Requests to ${group} are refused within a second. Keys restricted to ${group} can't call any model. Its logs and prices remain, and you can enable it again.`}
        confirmLabel="Disable deployment"
        busy={stop.isPending}
        onConfirm={() => stop.mutate({ params: { id: modelId } })}
        onClose={() => setStopping(false)}
      />
    </>
  );
}
