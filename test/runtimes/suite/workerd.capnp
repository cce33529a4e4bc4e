using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "host", worker = .host)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "host")],
);

# Without nodejs_compat: nothing of Node is there.
const host :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.js")],
  compatibilityDate = "2026-10-01",
);
