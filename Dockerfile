# beameval as a container, which is also a Beam worker: docker build -t beameval .
# Digests say which images these are; tags say what they are called.
FROM golang:1.26@sha256:3aff6657219a4d9c14e27fb1d8976c49c29fddb70ba835014f477e1c70636647 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make dist PLATFORMS="linux/$(go env GOARCH)" && mv "dist/linux/$(go env GOARCH)" /opt/beameval

FROM gcr.io/distroless/static-debian12:nonroot@sha256:d093aa3e30dbadd3efe1310db061a14da60299baff8450a17fe0ccc514a16639
COPY --from=build /opt/beameval/beameval /opt/beameval/boot /opt/beameval/
COPY LICENSE NOTICE /opt/beameval/
ENV PATH=/opt/beameval:/usr/bin:/bin
ENTRYPOINT ["beameval"]
