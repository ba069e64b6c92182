import { Link } from "@tanstack/react-router";
import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { classes } from "../../components/classes.ts";
import { DeploymentHealth } from "../../components/deployment-health.tsx";
import { ProviderMark } from "../../components/provider-mark.tsx";
import { NARROW, useMedia } from "../../components/use-media.ts";
import { nameDeployment } from "../../format/name-deployment.ts";
import { plural } from "../../format/plural.ts";
import { DeploymentPrice, SourceBadge } from "./deployment-marks.tsx";
import type { Deployment, DeploymentGroup } from "./filter-deployments.ts";

interface DeploymentTableProps {
  readonly groups: readonly DeploymentGroup[];
  readonly openId: string;
  readonly onOpen: (deployment: Deployment) => void;
  readonly actions: (deployment: Deployment) => ReactNode;
}

/** Deployments by model group. Groups can be collapsed. */
export function DeploymentTable(props: DeploymentTableProps) {
  const isNarrow = useMedia(NARROW);
  const [folded, setFolded] = useState<readonly string[]>([]);
  const fold = (name: string) =>
    setFolded(folded.includes(name) ? folded.filter((each) => each !== name) : [...folded, name]);
  if (isNarrow) return <DeploymentCards {...props} />;
  return (
    // Use a container query, because an open panel makes the table narrower than the window.
    <div className="@container">
      <table
        aria-label="Deployments"
        className="w-full border-separate border-spacing-0 text-table [&>tbody:last-child>tr:last-child>td]:border-b-0"
      >
        <thead>
          <tr className="text-left text-meta text-muted [&>th]:h-9 [&>th]:border-b [&>th]:border-border [&>th]:px-[9px] [&>th]:font-medium">
            <th className="pl-4!">Deployment</th>
            <th className="@max-5xl:hidden">Provider model ID</th>
            <th className="text-right @max-4xl:hidden">Weight</th>
            <th className="@max-xl:hidden">In / out per 1M</th>
            <th className="@max-3xl:hidden">Source</th>
            <th>Health</th>
            <th className="pr-4!">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        {props.groups.map((group) => (
          <Group
            key={group.name}
            {...props}
            group={group}
            isFolded={folded.includes(group.name)}
            onFold={() => fold(group.name)}
          />
        ))}
      </table>
    </div>
  );
}

interface GroupProps extends DeploymentTableProps {
  readonly group: DeploymentGroup;
  readonly isFolded: boolean;
  readonly onFold: () => void;
}

function Group({ group, isFolded, onFold, ...props }: GroupProps) {
  const Chevron = isFolded ? ChevronRight : ChevronDown;
  return (
    <tbody>
      <tr>
        <th colSpan={7} scope="rowgroup" className="h-9 border-b border-hairline bg-sunken px-4 text-left font-normal">
          {/* As wide as the table. Long names are truncated before they widen it. */}
          <span className="flex w-0 min-w-full items-center gap-2">
            <button
              type="button"
              aria-expanded={!isFolded}
              onClick={onFold}
              className="inline-flex min-h-6 min-w-0 items-center gap-1.5 font-medium"
            >
              <Chevron size={14} strokeWidth={1.5} aria-hidden className="flex-none" />
              <span className="truncate" title={group.name}>
                {group.name}
              </span>
            </button>
            <span className="flex-none text-meta text-muted">{plural(group.deployments.length, "deployment")}</span>
            <Link
              to="/admin/routing"
              search={{ group: group.name }}
              className="ml-auto text-meta text-accent hover:underline"
            >
              Routing
            </Link>
          </span>
        </th>
      </tr>
      {!isFolded && group.deployments.map((each) => <Row key={each.id} {...props} deployment={each} />)}
    </tbody>
  );
}

interface RowProps extends Omit<DeploymentTableProps, "groups"> {
  readonly deployment: Deployment;
}

function Row({ deployment, openId, onOpen, actions }: RowProps) {
  const isOpen = deployment.id === openId;
  const { provider, model, weight, order } = deployment;
  return (
    <tr
      aria-current={isOpen ? "true" : undefined}
      className={classes(
        "[&>td]:h-9 [&>td]:border-b [&>td]:border-hairline [&>td]:px-[9px] [&>td]:whitespace-nowrap",
        isOpen ? "bg-selected [&>td:first-child]:shadow-[inset_2px_0_0_var(--color-accent)]" : "hover:bg-hover",
      )}
    >
      <td className="pl-9!">
        <button
          type="button"
          onClick={() => onOpen(deployment)}
          className="inline-flex min-h-6 items-center gap-2 font-medium hover:underline"
        >
          <ProviderMark provider={provider} />
          <span className="max-w-56 truncate">{nameDeployment(deployment)}</span>
        </button>
      </td>
      <td className="@max-5xl:hidden">
        <span className="block max-w-64 truncate font-mono text-meta text-muted" title={model}>
          {model}
        </span>
      </td>
      <td className="text-right @max-4xl:hidden">{weightOf(weight, order)}</td>
      <td className="@max-xl:hidden">
        <DeploymentPrice deployment={deployment} />
      </td>
      <td className="@max-3xl:hidden">
        <SourceBadge source={deployment.source} />
      </td>
      <td>
        <DeploymentHealth deployment={deployment} />
      </td>
      <td className="pr-4! text-right">{actions(deployment)}</td>
    </tr>
  );
}

function DeploymentCards({ groups, openId, onOpen, actions }: DeploymentTableProps) {
  return (
    <ul aria-label="Deployments">
      {groups.map(({ name, deployments }) => (
        <li key={name}>
          <h3 className="truncate border-b border-hairline bg-sunken px-4 py-2 text-table font-medium">{name}</h3>
          <ul>
            {deployments.map((each) => (
              <li
                key={each.id}
                className={classes(
                  "grid gap-1 border-b border-hairline px-4 py-3",
                  each.id === openId && "bg-selected",
                )}
              >
                <span className="flex min-h-6 items-center gap-2">
                  <button
                    type="button"
                    onClick={() => onOpen(each)}
                    className="inline-flex min-h-6 min-w-0 items-center gap-2 font-medium"
                  >
                    <ProviderMark provider={each.provider} />
                    <span className="truncate">{nameDeployment(each)}</span>
                  </button>
                  <span className="ml-auto flex-none text-table">
                    <DeploymentHealth deployment={each} />
                  </span>
                </span>
                <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-meta">
                  <DeploymentPrice deployment={each} />
                  <SourceBadge source={each.source} />
                  {/* Copying a deployment from a file is offered in its panel, where there is space to explain it. */}
                  {each.editable && <span className="ml-auto">{actions(each)}</span>}
                </span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}

function weightOf(weight: number | null, order: number | null): ReactNode {
  if (order !== null) return <span title="Tried in this order">{ordinal(order)}</span>;
  return weight ?? <span className="text-muted">equal</span>;
}

function ordinal(place: number): string {
  const endings: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd", other: "th" };
  return `${place}${endings[new Intl.PluralRules("en", { type: "ordinal" }).select(place)]}`;
}
