import { Menu as Base } from "@base-ui/react/menu";
import { Ellipsis } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { POPUP, POPUP_ITEM, POPUP_LIST } from "./control-styles.ts";

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  readonly danger?: boolean;
  /** Reason that the action is unavailable, shown under the label. */
  readonly disabledReason?: string | null;
}

interface MenuProps {
  readonly label: string;
  /** Defaults to a three-dot button. */
  readonly trigger?: ReactElement;
  readonly items: readonly MenuItem[];
}

/** Menu that lists actions. */
export function Menu(props: MenuProps) {
  const trigger = props.trigger ?? <IconButton label={props.label} size="sm" icon={<Ellipsis size={16} />} />;
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup aria-label={props.label} className={classes(POPUP, POPUP_LIST, "min-w-[180px]")}>
            {props.items.map((item) => (
              <Base.Item
                key={item.label}
                disabled={Boolean(item.disabledReason)}
                onClick={item.onSelect}
                className={classes(POPUP_ITEM, item.danger && !item.disabledReason && "text-danger")}
              >
                {item.icon}
                <span>
                  {item.label}
                  {item.disabledReason ? (
                    <span className="block text-meta text-faint">{item.disabledReason}</span>
                  ) : null}
                </span>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
