# beameval as a container, which is also a Beam worker: docker build -t beameval .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make dist PLATFORMS="linux/$(go env GOARCH)" && mv "dist/linux/$(go env GOARCH)" /opt/beameval

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /opt/beameval/beameval /opt/beameval/boot /opt/beameval/
ENV PATH=/opt/beameval:/usr/bin:/bin
ENTRYPOINT ["beameval"]
