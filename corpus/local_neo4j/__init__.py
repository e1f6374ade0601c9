"""A Neo4j Community server under the data directory, out of Python packages alone: no container, no Java to install.

The server is a separate process under its own licence (GPL-3.0) that is spoken to over Bolt; its jars are fetched by their exact
coordinates when it is first started, and checked against `jars.lock`.
"""

from corpus.local_neo4j.place import Endpoint, Place, endpoint

__all__ = ["Endpoint", "Place", "endpoint"]
