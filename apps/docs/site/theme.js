// Runs before anything is drawn, so that a page never flashes in the other theme. The console keeps its choice here too.
document.documentElement.classList.add("js");
try {
  const chosen = localStorage.getItem("tollgate.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing follows the system.
}
