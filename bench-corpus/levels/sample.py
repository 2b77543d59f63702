# Chooses the commits of a set: python3 sample.py COUNT CLONE... prints COUNT of the newest 600 of each clone as JSON
# Lines, a third each of small, middle and large ones by changed lines, so that not only trivial ones are judged.
import subprocess,random,sys,json
def run(d,*a): return subprocess.run(["git","-C",d,*a],capture_output=True,text=True,errors="replace").stdout
def sample(d,k,seed=47):
    log=run(d,"log","--no-merges","-n","600","--format=%x01%H","--numstat")
    rows=[]
    for part in log.split("\x01")[1:]:
        lines=part.strip().split("\n"); h=lines[0]; n=0; files=0
        for l in lines[1:]:
            f=l.split("\t")
            if len(f)==3:
                files+=1
                if f[0].isdigit(): n+=int(f[0])+int(f[1])
        if files and files<=60 and n: rows.append((n,h))
    rows.sort(); r=random.Random(seed); out=[]
    t=len(rows)//3
    for g in (rows[:t],rows[t:2*t],rows[2*t:]): out+=r.sample(g,k//3)
    return [h for _,h in out]
if __name__=="__main__":
    k=int(sys.argv[1])
    for d in sys.argv[2:]:
        for h in sample(d,k): print(json.dumps({"repository":d.split("/")[-1],"commit":h}))
