# Paper Atlas in a container: built in one stage, run in another, as a user without rights.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements/ requirements/
RUN python -m venv /opt/paperatlas \
 && /opt/paperatlas/bin/pip install --no-cache-dir --require-hashes -r requirements/run.txt \
 && python -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --require-hashes -r requirements/dev.txt
COPY . .
RUN /opt/build/bin/python -m hatchling build -t wheel \
 && /opt/paperatlas/bin/pip install --no-cache-dir --no-deps --no-index dist/*.whl

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --user-group --create-home atlas && install -d -o 10001 -g atlas -m 750 /data
COPY --from=build /opt/paperatlas /opt/paperatlas
ENV PATH=/opt/paperatlas/bin:$PATH PAPERATLAS_DATA=/data NUMBA_CACHE_DIR=/tmp/numba PYTHONUNBUFFERED=1
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["paperatlas"]
CMD ["serve", "--host", "0.0.0.0", "--public"]
