"""Facts of settings: directives, XML, property lists, blocks; and of options that running text lists."""

import pytest
from stated_facts import stated

from mixrag_cli.readers.facts.collecting import MAX_FACTS
from tests.bounded import assert_in_line, patience

CASES = {
    "haproxy.cfg": (
        "# c\nglobal\n    maxconn 100\n\ndefaults\n    mode tcp\n    timeout client 30m  # half an hour\n\n"
        "listen stats\n    bind *:7000\n",
        "setting | global > maxconn | value=100@3",
        "setting | defaults > mode | value=tcp@6",
        "setting | defaults > timeout client | value=30m@7 help=half an hour@7",
        "setting | listen stats > bind | value=*:7000@10",
    ),
    "site.conf.j2": (
        "# c\n<VirtualHost *:443>\n ServerName a.example\n  <Directory /srv>\n    Require all granted\n  </Directory>\n"
        "  AddType text/html \\\n    .a \\\n    .b\n</VirtualHost>\nListen 443\n",
        "setting | VirtualHost *:443 > ServerName | value=a.example@3",
        "setting | VirtualHost *:443 > Directory /srv > Require | value=all granted@5",
        "setting | VirtualHost *:443 > AddType | value=text/html .a .b@7",
        "setting | Listen | value=443@11",
    ),
    "sshd_config": (
        "# who may come in\nPermitRootLogin no\nMaxAuthTries 3\nMatch User git\n    AllowTcpForwarding no\n",
        "setting | PermitRootLogin | value=no@2 help=who may come in@1",
        "setting | MaxAuthTries | value=3@3",
        "setting | Match User git > AllowTcpForwarding | value=no@5",
    ),
    "main.cf": (
        "biff = no\nmynetworks = 127.0.0.0/8\n    [::1]/128\n",
        "setting | biff | value=no@1",
        "setting | mynetworks | value=127.0.0.0/8 [::1]/128@2",
    ),
    "network": (
        "config interface 'lan'\n\toption proto 'static'\n\tlist dns '1.1.1.1'\n\tlist dns 9.9.9.9 # last\n"
        "config device\n\toption name br0\nconfig device\n\toption name br1\n",
        "setting | interface > lan > proto | value=static@2",
        "setting | device > 1 > name | value=br0@6",
        "setting | device > 2 > name | value=br1@8",
        "setting | interface > lan > dns | value=1.1.1.1, 9.9.9.9@3",
    ),
    "jail.local": (
        "[DEFAULT]\nbantime = 1w\nfilter = a\n  b\n\n[sshd]\nenabled=true\n",
        "setting | DEFAULT > bantime | value=1w@2",
        "setting | DEFAULT > filter | value=a b@3",
        "setting | sshd > enabled | value=true@7",
    ),
    "backup": (
        "SHELL=/bin/sh\n# every night\n0 3 * * * root restic backup /srv\n@daily certbot renew\n",
        "setting | SHELL | value=/bin/sh@1",
        "setting | root restic backup /srv | value=0 3 * * *@3 help=every night@2",
        "setting | certbot renew | value=@daily@4",
    ),
    "backup.timer.j2": (
        "[Timer]\nOnCalendar=daily\nPersistent=true\n",
        "setting | Timer > OnCalendar | value=daily@2",
        "setting | Timer > Persistent | value=true@3",
    ),
    "notes": ("config is a word\noption two is better\nlist of things = none\n[see] below\n",),
    "redis.conf": (
        '# where to listen\nport 6379\nbind 127.0.0.1 ::1\nrequirepass "a b"\n',
        "setting | port | value=6379@2 help=where to listen@1",
        "setting | bind | value=127.0.0.1 ::1@3",
        "setting | requirepass | value=a b@4",
    ),
    "postgresql.conf": (
        "listen_addresses = '*'  # what to listen on\nmax_connections = 100\n",
        "setting | listen_addresses | value=*@1 help=what to listen on@1",
        "setting | max_connections | value=100@2",
    ),
    "mosquitto.conf": (
        "# Default values are shown, uncomment to change.\n\n# the longest wait\n# in seconds\n#max_keepalive 65535\n"
        "#log_type error\n#log_type notice\n#certfile\nport 1884\n",
        "setting | port | value=1884@9",
        "default | max_keepalive | default=65535@5 help=the longest wait in seconds@3",
        "default | log_type | default=error@6",
        "default | log_type | default=notice@7",
    ),
    "make.ini": (
        "# kept\nneverclean := *.pdf *.ps\nCC ?= gcc\nurl = a:b\n",
        "setting | neverclean | value=*.pdf *.ps@2 help=kept@1",
        "setting | CC | value=gcc@3",
        "setting | url | value=a:b@4",
    ),
    "server.ini": (
        "; defaults are commented out\n[PHP]\n;memory_limit = 128M\n;engine =\n;Set this with care\n",
        "default | PHP > memory_limit | default=128M@3",
    ),
    "sample.ini": (
        "; a sample\n[http]\n;user=tom   ; default is nobody\n;size = 1MB ; default 50MB\nport = 1\n",
        "setting | http > port | value=1@5 help=user=tom ; default is nobody size = 1MB ; default 50MB@3",
    ),
    "prose.conf": (
        "#These are the defaults of our company's gateway\n#Please change none of them\na 1\nb 2\n",
        "setting | a | value=1@3 help=These are the defaults of our company's gateway Please change none of them@1",
        "setting | b | value=2@4",
    ),
    "rtl.conf": (
        "decoder {\n   n=Driveway alarm,\n   s=188,\n   countonly,\n   bits>=26\n}\n",
        "setting | decoder > n | value=Driveway alarm@2",
        "setting | decoder > s | value=188@3",
    ),
    "compose.yaml": (
        "x-base: &base\n  restart: always\n  retries: 3\nservices:\n  web:\n    <<: *base\n    restart: never\n"
        "    host: &host www.example.org\n    names: [*host, other]\n    environment:\n      - TZ=Europe/Berlin\n"
        "      - EMPTY=\n    command: [run, --fast=1]\n  db:\n    <<: [*base, {size: 10}]\n    more: *base\n"
        "    needs:\n      - python=3.9\n      - pip: [requests]\n",
        "setting | x-base > restart | value=always@2",
        "setting | x-base > retries | value=3@3",
        "setting | services > web > retries | value=3@3",
        "setting | services > web > restart | value=never@7",
        "setting | services > web > host | value=www.example.org@8",
        "setting | services > web > names | value=www.example.org, other@8",
        "setting | services > web > environment > TZ | value=Europe/Berlin@11",
        "setting | services > web > command | value=run, --fast=1@13",
        "setting | services > db > restart | value=always@2",
        "setting | services > db > retries | value=3@3",
        "setting | services > db > size | value=10@15",
        "setting | services > db > more > restart | value=always@2",
        "setting | services > db > more > retries | value=3@3",
        "setting | services > db > needs > 2 > pip | value=requests@19",
        "setting | services > db > needs > python | value=3.9@18",
    ),
    "jobs.yaml": (
        "# c\n---\nkind: Service\nport: 80\n---\nkind: Job\ntimeout: 1m\n---\nkind: Job\ntimeout: 2m\n---\n",
        "setting | Service > kind | value=Service@3",
        "setting | Service > port | value=80@4",
        "setting | Job > kind | value=Job@6",
        "setting | Job > timeout | value=1m@7",
        "setting | Job 2 > kind | value=Job@9",
        "setting | Job 2 > timeout | value=2m@10",
    ),
    "web.yaml": (
        "kind: Deployment\nmetadata:\n  labels: {a: b}\n  name: web\nspec:\n  replicas: 3\n---\nmetadata: {name: web}\n"
        "kind: Service\nport: 80\n",
        "setting | Deployment web > kind | value=Deployment@1",
        "setting | Deployment web > metadata > labels > a | value=b@3",
        "setting | Deployment web > metadata > name | value=web@4",
        "setting | Deployment web > spec > replicas | value=3@6",
        "setting | Service web > metadata > name | value=web@8",
        "setting | Service web > kind | value=Service@9",
        "setting | Service web > port | value=80@10",
    ),
    ".env.example": (
        "# Where to listen\nPORT=3000\nTOKEN=\nexport NAME='a b'\n",
        "setting | PORT | value=3000@2 help=Where to listen@1",
        "setting | NAME | value=a b@4",
    ),
    "deploy.yaml": (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n",
        "setting | Deployment web > apiVersion | value=apps/v1@1",
        "setting | Deployment web > kind | value=Deployment@2",
        "setting | Deployment web > metadata > name | value=web@4",
        "setting | Deployment web > spec > replicas | value=3@6",
    ),
    "values.yaml.j2": (
        "{% if é %}\nport: {{ port | default(80) }}  # where\n{% endif %}\nhosts:\n  - {{ a }}\n  - b\n{{- if .V }}\n"
        'size: 5{{ unit }}\n{# not\nthis: 1 #}\nlast: "{{ z }}"\nof:\n  - name: of {{ z }}\n',
        "setting | port | value={{ port | default(80) }}@2 help=where@2",
        "setting | hosts | value={{ a }}, b@5",
        "setting | size | value=5{{ unit }}@8",
        "setting | last | value={{ z }}@11",
        "setting | of > of {{ z }} > name | value=of {{ z }}@13",
    ),
    "results.json": (
        '{"results": [{"scenario": "fast", "n": 1}, {"scenario": "slow", "n": 2}], "same": [{"a": "x", "b": 1}, '
        '{"a": "x", "b": 2}],\n"ports": [{"at": 1, "b": 3}, {"at": 2, "b": 4}], '
        '"paths": [{"path": "p"}, {"path": "q"}]}',
        "setting | results > fast > scenario | value=fast@1",
        "setting | results > fast > n | value=1@1",
        "setting | results > slow > scenario | value=slow@1",
        "setting | results > slow > n | value=2@1",
        "setting | same > 1 > a | value=x@1",
        "setting | same > 1 > b | value=1@1",
        "setting | same > 2 > a | value=x@1",
        "setting | same > 2 > b | value=2@1",
        "setting | ports > 1 > at | value=1@2",
        "setting | ports > 1 > b | value=3@2",
        "setting | ports > 2 > at | value=2@2",
        "setting | ports > 2 > b | value=4@2",
        "setting | paths > 1 > path | value=p@2",
        "setting | paths > 2 > path | value=q@2",
    ),
    "deployment.yaml": (
        'apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ include "a.name" . }}\n'
        "{{- /* which\n  of: them */}}\nspec:\n  {{- if not .Values.scaled }}\n  replicas: 2\n  {{- end }}\n"
        "  template:\n    spec:\n      {{- with .Values.affinity }}\n"
        "      affinity:\n        {{- toYaml . | nindent 8 }}\n      {{- end }}\n      containers:\n"
        '      - name: {{ include "a.name" . }}\n        readinessProbe:\n          periodSeconds: 5\n',
        "setting | Deployment > apiVersion | value=apps/v1@1",
        "setting | Deployment > kind | value=Deployment@2",
        'setting | Deployment > metadata > name | value={{ include "a.name" . }}@4',
        "setting | Deployment > spec > replicas | value=2@9",
        'setting | Deployment > spec > template > spec > containers > 1 > name | value={{ include "a.name" . }}@18',
        "setting | Deployment > spec > template > spec > containers > 1 > readinessProbe > periodSeconds | value=5@20",
    ),
    "Dockerfile-build": (
        "FROM golang:1.26 AS builder\nEXPOSE 4466\n",
        "setting | FROM | value=golang:1.26 AS builder@1",
        "setting | EXPOSE | value=4466@2",
    ),
    "config.mk": (
        "# Build with TLS.\nWITH_TLS:=yes\n#WITH_WRAP:=yes\n",
        "setting | WITH_TLS | value=yes@2 help=Build with TLS.@1",
    ),
    "go.mod": (
        "module a.org/b/v2\n\ngo 1.22.0\n\nrequire c.org/d v1.8.4\n\nrequire (\n\te.org/f v3.0.1 // indirect\n)\n"
        "exclude (\n\te.org/f v3.0.0\n)\n",
        "setting | module | value=a.org/b/v2@1",
        "setting | go | value=1.22.0@3",
        "setting | require > c.org/d | value=v1.8.4@5",
        "setting | require > e.org/f | value=v3.0.1@8",
    ),
    "Package.swift": (
        "// swift-tools-version:6.2\nlet package = Package(\n    platforms: [\n        .macOS(.v13),\n    ],\n"
        '    dependencies: [\n        .package(url: "https://a.org/swift-nio.git", from: "2.81.0"), // pinned\n'
        '        .package(url: "https://a.org/kit", .upToNextMinor(from: "5.0.0")),\n'
        '        .package(url: "https://a.org/b", "1.0.0"..<"2.0.0"),\n    ]\n)\n',
        "setting | swift-tools-version | value=6.2@1",
        "setting | macOS | value=.v13@4",
        "setting | package > swift-nio | value=2.81.0@7",
        "setting | package > kit | value=5.0.0@8",
        'setting | package > b | value="1.0.0"..<"2.0.0"@9',
    ),
    "requirements-dev.txt": (
        "# what it needs\n-r requirements.txt\npydantic==2.13.4\nDjango[argon2]>=6.1,<7 ; python_version > '3'\nsix\n",
        "setting | pydantic | value=2.13.4@3",
        "setting | Django[argon2] | value=>=6.1,<7@4",
    ),
    "Dockerfile": (
        'ARG A=0 # 0=never, 1=native\nLABEL b="x # y"\nENV C=1 D=2\n',
        "setting | ARG > A | value=0@1",
        "setting | LABEL > b | value=x # y@2",
        "setting | ENV > C | value=1@3",
        "setting | ENV > D | value=2@3",
    ),
    "pom.xml": (
        "<?xml version='1.0'?>\n<!-- top -->\n<project xmlns='http://x'>\n  <name>demo</name>\n  <properties>\n"
        "    <java.version>17</java.version> <!-- the lowest -->\n  </properties>\n"
        "  <modules><module>a</module><module>b</module></modules>\n  <dependency>\n    <artifactId>x</artifactId>\n"
        "    <!-- not the\n         newest -->\n    <version>1.2</version>\n  </dependency>\n"
        '  <module name="Lines"><property name="max" value="150"/></module>\n'
        '  <entry><key>k</key><value>v</value></entry>\n  <permission android:name="CAM"/>\n  <feature\n'
        '    android:name="f"\n    android:required="false"/>\n  <d>text with <b>marks</b></d>\n</project>\n',
        "setting | name | value=demo@4",
        "setting | properties > java.version | value=17@6 help=the lowest@6",
        "setting | modules > module | value=a, b@8",
        "setting | dependency > x > version | value=1.2@13 help=not the newest@11",
        "setting | module > Lines > property > max | value=150@15",
        "setting | entry > k | value=v@16",
        "setting | permission | value=CAM@17",
        "setting | feature > f > required | value=false@20",
    ),
    "Packages.props": (
        '<Project>\n  <Group>\n    <Package Include="System.IO" Version="10.0.5" />\n  </Group>\n</Project>\n',
        "setting | Group > Package > System.IO > Version | value=10.0.5@3",
    ),
    "Info.plist": (
        "<?xml version='1.0'?>\n<!DOCTYPE plist PUBLIC 'x' 'http://x'>\n"
        "<plist version='1.0'>\n<dict>\n<key>Version</key>\n<string>1.0</string>\n<key>On</key>\n<true/>\n"
        "<key>Caps</key>\n<array><string>a</string><string>b</string></array>\n<key>Bar</key>\n"
        "<dict><key>Style</key><string>x</string></dict>\n</dict>\n</plist>\n",
        "setting | Version | value=1.0@6",
        "setting | On | value=true@8",
        "setting | Caps | value=a, b@10",
        "setting | Bar > Style | value=x@12",
    ),
    "told.xml": (
        f"<p>\n<name>a</name>\n<notes>\n1.2\nFixed {'it ' * 120}</notes>\n<icon>i.png</icon></p>",
        "setting | name | value=a@2",
        "setting | icon | value=i.png@6",
    ),
    "entities.xml": ("<!DOCTYPE x [<!ENTITY a 'b'>]>\n<x><y>&a;</y></x>",),
    "broken.xml": ("<?xml version='1.0'?>\n<x><y>1</x>\n",),
    "options.rst": (
        "Options\n=======\n\n- ``interval``: time in seconds,\n  defaults to ``120``\n- **MY\\_NAME**: name\n"
        "- ``--port``: where to listen\n\n:Types:\n    - bool\n    - array\n:Default: 5\n\n**Port:** 80\n\n"
        "It is **bold: and** goes on.\n",
        "label | Options > interval | value=time in seconds, defaults to ``120``@4",
        "label | Options > MY_NAME | value=name@6",
        "option | Options > --port | help=where to listen@7",
        "label | Options > Types | value=bool, array@10",
        "label | Options > Default | value=5@12",
        "label | Options > Port | value=80@14",
    ),
    "options.adoc": ("= T\n\n`port`:: where to listen\n", "label | T > port | value=where to listen@3"),
    "book.adoc": (
        "= T\nAnn Lee\n:toc:\n:version: 1.2\n:base: https://x.example/{version}\n\nA.\n\n== P\n----\n:no: 1\n----\n",
        "label | T > version | value=1.2@4",
        "label | T > base | value=https://x.example/1.2@5",
    ),
    "DESCRIPTION": (
        "Package: janitor\nImports:\n    dplyr (>= 1.0.0),\n    hms\nLicense: MIT\n",
        "label | Package | value=janitor@1",
        "label | Imports | value=dplyr (>= 1.0.0), hms@3",
        "label | License | value=MIT@5",
    ),
}


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "utf-16", "unheard-of"])
def test_xml_is_read_as_it_was_decoded_whatever_encoding_it_declares(encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>\n<r><size unit="°C">5 é</size></r>\n'
    assert stated("a.xml", text) == ["setting | size > unit | value=°C@2", "setting | size | value=5 é@2"]


@pytest.mark.parametrize("name", CASES)
def test_a_file_states_its_settings_and_no_others(name: str) -> None:
    text, *expected = CASES[name]
    assert stated(name, text) == expected


@pytest.mark.parametrize(
    "text",
    ["<a>" * 5_000 + "</a>" * 5_000, "<a>" + "<b><c>1</c></b>" * 5_000 + "</a>", "<a>" + "<b>1</b>" * 50_000 + "</a>"],
    ids=["deep", "wide", "long"],
)
def test_settings_of_hostile_xml_are_bounded(text: str) -> None:
    with patience():
        assert len(stated("a.xml", text)) <= MAX_FACTS


def test_aliases_of_aliases_are_not_followed_without_end() -> None:
    levels = "".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 12))
    with patience():
        assert len(stated("a.yaml", f"l0: &l0 {{a: 1}}\n{levels}me: &me {{b: 2, c: *me}}\n")) <= 200


@pytest.mark.parametrize("line", [" ", "a", "a ", "export "])
def test_a_long_line_of_a_settings_file_is_read_in_line_with_its_length(line: str) -> None:
    assert_in_line(lambda text: stated("a.ini", text), line * 16_000)
