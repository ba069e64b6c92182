import { Check, CircleMinus, Clock, Plus, RotateCw } from "lucide-react";
import { useState } from "react";
import { Badge } from "../../components/badge.tsx";
import { Button, ButtonLink, IconButton } from "../../components/button.tsx";
import { Checkbox } from "../../components/checkbox.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Kbd } from "../../components/kbd.tsx";
import { Panel } from "../../components/panel.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { Switch } from "../../components/switch.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Tooltip } from "../../components/tooltip.tsx";

/** Samples of buttons, switches, and badges. */
export function ControlsSample() {
  const [measure, setMeasure] = useState("spend");
  const [isOn, setIsOn] = useState(true);
  const [tab, setTab] = useState("overview");
  return (
    <Panel title="Controls">
      <div className="grid gap-4">
        <div className="flex flex-wrap items-center gap-2">
          <Button variant="primary" icon={<Plus size={16} strokeWidth={1.5} aria-hidden />}>
            Create key
          </Button>
          <Button>Secondary</Button>
          <Button variant="ghost">Ghost</Button>
          <Button variant="danger">Delete key</Button>
          <Button disabledReason="Only owners can do this">Disabled</Button>
          <Button busy>Saving</Button>
          <Button size="sm">Small</Button>
          <Button size="lg">Large</Button>
          <ButtonLink to="/keys">Link</ButtonLink>
          <IconButton variant="secondary" label="Refresh" icon={<RotateCw size={16} strokeWidth={1.5} />} />
          <CopyButton text="req_01K9W3ZN8H4X" />
          <Kbd>Ctrl K</Kbd>
        </div>
        <div className="flex flex-wrap items-center gap-3">
          <Segmented
            label="Measure"
            value={measure}
            onValue={setMeasure}
            options={[
              { value: "spend", label: "Spend" },
              { value: "requests", label: "Requests" },
              { value: "tokens", label: "Tokens" },
            ]}
          />
          <Switch label="Compare" checked={isOn} onValue={setIsOn} />
          <Checkbox label="Stored" checked={isOn} onValue={setIsOn} />
          <Checkbox label="Some" checked={false} indeterminate onValue={setIsOn} />
          <Tooltip text="A short description">
            <button type="button" className="text-table text-accent">
              Tooltip
            </button>
          </Tooltip>
        </div>
        <div className="flex flex-wrap items-center gap-3 text-table">
          <Badge tone="success" icon={<Check aria-hidden />}>
            Credited
          </Badge>
          <Badge tone="warning">Unpriced</Badge>
          <Badge tone="danger" icon={<CircleMinus aria-hidden />}>
            Blocked
          </Badge>
          <Badge tone="info" icon={<Clock aria-hidden />}>
            Paid, crediting
          </Badge>
          <Badge>Draft</Badge>
          <Badge mono>config.yaml:42</Badge>
          <StatusDot shape="ok">Healthy</StatusDot>
          <StatusDot shape="warning">In cooldown</StatusDot>
          <StatusDot shape="bad">Cap reached</StatusDot>
          <StatusDot shape="off">Expired</StatusDot>
        </div>
        <Tabs
          value={tab}
          onValue={setTab}
          tabs={[
            { value: "overview", label: "Overview" },
            { value: "requests", label: "Requests", count: 4905 },
            { value: "settings", label: "Settings" },
          ]}
        />
      </div>
    </Panel>
  );
}
