import {
  Activity,
  BarChart3,
  Bot,
  Box,
  Building2,
  ChartLine,
  House,
  KeyRound,
  Layers,
  List,
  type LucideIcon,
  ScrollText,
  Search,
  Server,
  Settings2,
  SquareTerminal,
  Tags,
  UserRound,
  UsersRound,
  Wallet,
  Waypoints,
} from "lucide-react";

interface Destination {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Key to press after `g`. */
  readonly letter?: string;
  /** Additional search terms for the palette. */
  readonly words?: string;
}

interface DestinationGroup {
  readonly title: string | null;
  readonly entries: readonly Destination[];
}

const home: Destination = { to: "/", label: "Home", icon: House, letter: "h" };
const keys: Destination = { to: "/keys", label: "API keys", icon: KeyRound, letter: "k", words: "secret token" };
const usage: Destination = { to: "/usage", label: "Usage", icon: BarChart3, letter: "u", words: "spend cost charts" };
const playground: Destination = {
  to: "/playground",
  label: "Playground",
  icon: SquareTerminal,
  letter: "p",
  words: "chat try",
};
const models: Destination = {
  to: "/model_hub_table",
  label: "Models",
  icon: Box,
  letter: "m",
  words: "hub prices compare",
};
const logs: Destination = { to: "/logs", label: "Logs", icon: List, letter: "l", words: "requests calls errors" };
const sessions: Destination = { to: "/sessions", label: "Sessions", icon: Layers, words: "agents tasks timeline" };
const credits: Destination = {
  to: "/credits",
  label: "Credits",
  icon: Wallet,
  words: "buy balance orders ledger billing",
};

/** The five entries in the bottom bar on phones: what users check on the way. The menu has the others. */
export const bottomBar: readonly Destination[] = [home, keys, usage, logs, credits];

/** Returns the sidebar entries for this user. */
export function navigationOf(person: { isAdministrator: boolean; hasTraining: boolean }): readonly DestinationGroup[] {
  return [
    { title: null, entries: [home] },
    {
      title: "Build",
      entries: [playground, models, keys, { to: "/assistants", label: "Assistants", icon: Bot, words: "threads runs" }],
    },
    {
      title: "Observe",
      entries: [
        usage,
        logs,
        sessions,
        { to: "/health", label: "Health", icon: Activity, words: "status latency incidents" },
      ],
    },
    {
      title: "Organization",
      entries: [
        { to: "/teams", label: "Teams", icon: UsersRound },
        { to: "/members", label: "Members", icon: UserRound, words: "people invite" },
        credits,
      ],
    },
    ...(person.hasTraining && person.isAdministrator
      ? [
          {
            title: "Training",
            entries: [{ to: "/training", label: "Runs", icon: ChartLine, words: "rounds participants" }],
          },
        ]
      : []),
    ...(person.isAdministrator
      ? [
          {
            title: "Admin",
            entries: [
              { to: "/admin/deployments", label: "Deployments", icon: Server, words: "providers models" },
              { to: "/admin/routing", label: "Routing", icon: Waypoints, words: "fallbacks simulate" },
              { to: "/admin/prices", label: "Prices", icon: Tags, words: "catalog edition disputed" },
              { to: "/tools/inspect", label: "Inspector", icon: Search, words: "transform request tokens" },
              { to: "/admin/users", label: "Users", icon: UserRound, words: "people" },
              { to: "/admin/organizations", label: "Organizations", icon: Building2, words: "grant credits" },
              { to: "/admin/audit", label: "Audit", icon: ScrollText, words: "changes who" },
              { to: "/admin/settings", label: "Settings", icon: Settings2, words: "configuration" },
            ],
          },
        ]
      : []),
  ];
}
